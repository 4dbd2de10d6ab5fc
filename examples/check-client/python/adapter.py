"""An adapter for `svc check-client`: Python with the standard library alone."""

import json, os, sys
from browser import ask_version
from client import Client
from files import exchange
from reading import events, items

scenario, given = os.environ["SVC_SCENARIO"], json.loads(os.environ["SVC_INPUT"])
client = Client(os.environ["SERVICE_API_URL"], os.environ.get("SERVICE_API_KEY"), given)
started = []

def start(body):
    started.append(client.start(body))
    return started[-1]

def show(record):
    output = record["result" if given["version"] == "v4" else "output"]
    cost = record["cost" if given["version"] == "v2" else "totalCostUsd"]
    return {"id": record["id"], "status": record["status"], "output": output, "cost": cost}

def follow():
    id = client.end(start(given["create"]))["id"]
    return show(client.end(start(given["followUp"] | {"sessionId": id})))

scenarios = {
    "run": lambda: show(client.end(start(given["create"]))),
    "follow-up": follow,
    "read": lambda: client.call("GET", client.one(given["id"])),
    "stop": lambda: client.stop(start(given["create"])),
    "events": lambda: {"events": events(client, start(given["create"]))},
    "list": lambda: {"ids": items(client, given["version"], given["limit"])},
    "files": lambda: exchange(client, given["files"]),
    "browser": lambda: ask_version(client, given["create"], given["rounds"]),
}
try:
    print(json.dumps(scenarios[scenario]()))
except KeyboardInterrupt:
    for id in started:
        client.stop(id)
    sys.exit(130)
