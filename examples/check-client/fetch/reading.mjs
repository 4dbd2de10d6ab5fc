import { sleep } from './client.mjs';

const isEnd = ({ type }) => /^run\.(?:completed|failed|cancelled|dispatch_failed)$/.test(type);

/** Returns every event of a run, in order, after the run has ended. */
export async function readEvents({ call }, id, pollMs) {
  const seen = [];
  for (let after = 0; !seen.some(isEnd); ) {
    const { events, nextAfter, hasMore } = await call('GET', `/runs/${id}/events?after=${after}&limit=100`);
    seen.push(...events);
    after = nextAfter ?? after;
    if (!hasMore && !seen.some(isEnd)) await sleep(pollMs);
  }
  return seen;
}

/** Returns the ids of all runs. Reads page after page until a response has no cursor. */
export async function listRuns({ call }, limit) {
  const ids = [];
  for (let query = `limit=${limit}`; ; ) {
    const { runs, nextCursor } = await call('GET', `/runs?${query}`);
    ids.push(...runs.map(({ id }) => id));
    if (!nextCursor) return ids;
    query = `limit=${limit}&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/**
 * Returns the ids of all sessions. A session that is created meanwhile moves other sessions to the next page, where
 * they are read a second time. A set therefore collects the ids.
 */
export async function listSessions({ call }, limit) {
  const ids = new Set();
  for (let page = 1; ; page += 1) {
    const { sessions } = await call('GET', `/sessions?page=${page}&page_size=${limit}`);
    for (const { id } of sessions) ids.add(id);
    if (sessions.length === 0) return [...ids];
  }
}
