"""An adapter for `svc check-client`: Python with the standard library alone."""

import json, os, sys, time
from urllib.parse import quote
from client import Client

ENDS = ("run.completed", "run.failed", "run.cancelled", "run.dispatch_failed")
scenario, given = os.environ["SVC_SCENARIO"], json.loads(os.environ["SVC_INPUT"])
if given["version"] == "v2" or scenario in ("files", "browser"):
    print(json.dumps({"unsupported": f"{scenario} of {given['version']} is not written yet"}))
    sys.exit()
client = Client(os.environ["SERVICE_API_URL"], os.environ.get("SERVICE_API_KEY"), given)
started = []

def start(body):
    started.append(client.start(body))
    return started[-1]

def show(record):
    output = record["result" if given["version"] == "v4" else "output"]
    return {"id": record["id"], "status": record["status"], "output": output, "cost": record["totalCostUsd"]}

def events(id):
    seen, after = [], 0
    while not any(event["type"] in ENDS for event in seen):
        page = client.call("GET", f"/runs/{id}/events?after={after}&limit=100")
        seen += page["events"]
        after = page["nextAfter"] if page["nextAfter"] is not None else after
        if not page["hasMore"]:
            time.sleep(client.pause)
    return {"events": seen}

def items():
    ids, page, limit, is_v4 = {}, 1, given["limit"], given["version"] == "v4"
    where = f"/runs?limit={limit}" if is_v4 else f"/sessions?page=1&page_size={limit}"
    while where:
        answer = client.call("GET", where)
        found = answer["runs" if is_v4 else "sessions"]
        ids.update((item["id"], True) for item in found)
        page, cursor = page + 1, answer.get("nextCursor")
        after = f"/runs?limit={limit}&cursor={quote(cursor or '', safe='')}" if is_v4 else f"/sessions?page={page}&page_size={limit}"
        where = after if (cursor if is_v4 else found) else None
    return {"ids": list(ids)}

scenarios = {
    "run": lambda: show(client.end(start(given["create"]))),
    "follow-up": lambda: show(client.end(start(given["followUp"] | {"sessionId": client.end(start(given["create"]))["id"]}))),
    "read": lambda: client.call("GET", client.one(given["id"])),
    "stop": lambda: client.stop(start(given["create"])),
    "events": lambda: events(start(given["create"])),
    "list": items,
}
try:
    print(json.dumps(scenarios[scenario]()))
except KeyboardInterrupt:
    for id in started:
        client.stop(id)
    sys.exit(130)
