"""A client of V2, V3 and V4 with the standard library alone."""

import json, re, time, urllib.error, urllib.parse, urllib.request

GENERATIONS = {
    "v2": ("/tasks", "/status", {"finished", "failed", "stopped"}, ("PATCH", "", {"action": "stop"})),
    "v3": ("/sessions", "", {"idle", "stopped", "timed_out", "error"}, ("POST", "/stop", None)),
    "v4": ("/runs", "/status", {"completed", "failed", "cancelled"}, ("POST", "/cancel", None)),
}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect that is followed would take the key to another host."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


class Client:
    def __init__(self, address, key, settings):
        if not key:
            raise SystemExit("found no key, expected one in SERVICE_API_KEY")
        self.base = re.sub(r"/+$", "", address) + "/api/" + settings["version"]
        self.key, self.timeout, self.pause = key, settings["timeoutMs"] / 1000, settings["pollMs"] / 1000
        self.path, self.state, self.ends, self.halt = GENERATIONS[settings["version"]]

    def call(self, method, where, body=None, wait=1):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + where, data, method=method)
        request.add_header("X-Service-API-Key", self.key)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with OPENER.open(request, timeout=self.timeout) as response:
                text = response.read().decode()
            return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if error.code != 429 or wait > 8:
                raise RuntimeError(f"{error.code} {error.read().decode()}") from None
            time.sleep(float(error.headers.get("Retry-After", wait)))
        return self.call(method, where, body, wait * 2)

    def one(self, id):
        return self.path + "/" + urllib.parse.quote(id, safe="")

    def start(self, body):
        if "browserSettings" in body and "proxyCountryCode" not in body["browserSettings"]:
            raise SystemExit("give a proxyCountryCode, or None")
        return self.call("POST", self.path, body)["id"]

    def end(self, id):
        while self.call("GET", self.one(id) + self.state)["status"] not in self.ends:
            time.sleep(self.pause)
        return self.call("GET", self.one(id))

    def stop(self, id):
        return self.call(self.halt[0], self.one(id) + self.halt[1], self.halt[2])
