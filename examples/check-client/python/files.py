"""Files of a workspace with the standard library alone: to and from signed addresses, without the key."""

import base64, urllib.error
from urllib.parse import quote
from urllib.request import Request, urlopen


def exchange(client, given):
    """Uploads files to a new workspace, downloads them again, and removes the first one."""
    id = client.call("POST", "/workspaces", {"name": "check"})["id"]
    bodies = [base64.b64decode(file["base64"]) for file in given]
    announced = [{"name": file["name"], "contentType": file["contentType"], "size": len(body)} for file, body in zip(given, bodies)]
    places = client.call("POST", f"/workspaces/{id}/files/upload", {"files": announced})["files"]
    for place, file, body in zip(places, given, bodies):
        headers = {"Content-Type": file["contentType"]}
        urlopen(Request(place["uploadUrl"], body, headers, method="PUT"), timeout=client.timeout).close()
    urls = list_urls(client, id)
    found = [{"path": path, "base64": base64.b64encode(download(client, id, path, url)).decode()} for path, url in urls.items()]
    client.call("DELETE", f"/workspaces/{id}/files?path={quote(found[0]['path'], safe='')}")
    return {"files": found}


def list_urls(client, id):
    page = client.call("GET", f"/workspaces/{id}/files?includeUrls=true&limit=100")
    return {file["path"]: file["url"] for file in page["files"]}


def download(client, id, path, url):
    """An address that has expired is asked for again, once."""
    try:
        return urlopen(url, timeout=client.timeout).read()
    except urllib.error.HTTPError as error:
        if error.code != 403:
            raise
        return urlopen(list_urls(client, id)[path], timeout=client.timeout).read()
