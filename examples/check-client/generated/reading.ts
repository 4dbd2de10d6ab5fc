import type { Client } from 'openapi-fetch';
import type { paths as V3 } from '../../../generated/v3.ts';
import type { paths as V4 } from '../../../generated/v4.ts';
import { read, sleep } from './connect.ts';

/** Returns every event of a run, in order, after the run has ended. */
export async function readEvents(client: Client<V4>, id: string, pollMs: number): Promise<object[]> {
  const seen: { readonly type: string }[] = [];
  const isEnd = ({ type }: { type: string }): boolean =>
    /^run\.(completed|failed|cancelled|dispatch_failed)$/.test(type);
  for (let after = 0; !seen.some(isEnd); ) {
    const params = { path: { run_id: id }, query: { after, limit: 100 } };
    const { events, nextAfter, hasMore } = await read(client.GET('/runs/{run_id}/events', { params }));
    seen.push(...events);
    after = nextAfter ?? after;
    if (!hasMore && !seen.some(isEnd)) await sleep(pollMs);
  }
  return seen;
}

/** Returns the ids of all runs. Reads page after page until a response has no cursor. */
export async function listRuns(client: Client<V4>, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let query: { limit: number; cursor?: string } = { limit }; ; ) {
    const { runs, nextCursor } = await read(client.GET('/runs', { params: { query } }));
    ids.push(...runs.map(({ id }) => id));
    if (!nextCursor) return ids;
    query = { limit, cursor: nextCursor };
  }
}

/**
 * Returns the ids of all sessions. A session that is created meanwhile moves other sessions to the next page, where
 * they are read a second time. A set therefore collects the ids.
 */
export async function listSessions(client: Client<V3>, limit: number): Promise<string[]> {
  const ids = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { sessions } = await read(client.GET('/sessions', { params: { query: { page, page_size: limit } } }));
    for (const { id } of sessions) ids.add(id);
    if (sessions.length === 0) return [...ids];
  }
}
