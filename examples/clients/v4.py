"""V4: creates a run, shows its events while it works, prints the result. Python 3.9 or newer, standard library alone."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ.get("SERVICE_URL", "http://127.0.0.1:4010") + "/api/v4"
KEY = os.environ.get("SERVICE_API_KEY", "svc_mock")
ENDED = ["completed", "failed", "cancelled"]


def call(method, path, body=None):
    """Sends a request and returns the JSON of the answer; exits with the answer of a refusal."""
    request = urllib.request.Request(
        BASE + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-Service-API-Key": KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as refusal:
        sys.exit(f"{method} {path}: {refusal.code} {refusal.read().decode()}")


task = sys.argv[1] if len(sys.argv) > 1 else "Reply with the word ready"
run = call("POST", "/runs", {"task": task, "model": "gpt-5.6-luna"})
after = 0
while True:
    run = call("GET", f"/runs/{run['id']}")
    page = call("GET", f"/runs/{run['id']}/events?after={after}")
    after = page["nextAfter"]
    for event in page["events"]:
        print(event["type"])
    if run["status"] in ENDED:
        break
    time.sleep(0.5)
result = run["error"] if run["result"] is None else run["result"]
print(f"{run['status']}: {json.dumps(result)}")
sys.exit(0 if run["status"] == "completed" else 1)
