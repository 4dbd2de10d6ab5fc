"""Events and lists, page by page."""

import time
from urllib.parse import quote

ENDS = ("run.completed", "run.failed", "run.cancelled", "run.dispatch_failed")


def events(client, id):
    """Every event of a run, in order, until its end."""
    seen, after = [], 0
    while not any(event["type"] in ENDS for event in seen):
        page = client.call("GET", f"/runs/{id}/events?after={after}&limit=100")
        seen += page["events"]
        after = page["nextAfter"] if page["nextAfter"] is not None else after
        if not page["hasMore"]:
            time.sleep(client.pause)
    return seen


def items(client, version, limit):
    """The ids of all runs or sessions. A session that comes in meanwhile pushes others to the next page, where they are seen again."""
    ids, page, is_v4 = {}, 1, version == "v4"
    where = f"/runs?limit={limit}" if is_v4 else f"/sessions?page=1&page_size={limit}"
    while where:
        answer = client.call("GET", where)
        found = answer["runs" if is_v4 else "sessions"]
        ids.update((item["id"], True) for item in found)
        page, cursor = page + 1, answer.get("nextCursor")
        after = f"/runs?limit={limit}&cursor={quote(cursor or '', safe='')}" if is_v4 else f"/sessions?page={page}&page_size={limit}"
        where = after if (cursor if is_v4 else found) else None
    return list(ids)
