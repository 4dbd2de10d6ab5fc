import { getAnswer, getId } from '../service-access.ts';
import { type FilledIds, storedKeys } from './fill-database.ts';
import type { Stored } from './stored-service.ts';

/** A request to a service with many stored sessions. */
export interface StoredRequest {
  readonly name: string;
  readonly path: (ids: FilledIds, n: number) => string;
  readonly key: string;
  /** Request body and expected status. @defaultValue a GET with status 200 */
  readonly post?: {
    readonly body: object;
    readonly status: number;
    /**
     * Returns the path of a POST that removes what the request has created, given the response to the request. The POST
     * is not measured.
     */
    readonly after?: (answer: unknown) => string;
  };
}

const { key, otherKey } = storedKeys;

/** Measured requests: polls of each generation, the first page of each list, a creation and a rejected creation. */
export const storedRequests: readonly StoredRequest[] = [
  { name: 'poll of a V2 task', path: ({ v2Task }, n) => `v2/tasks/${at(v2Task, n)}`, key },
  { name: 'poll of a V3 session', path: ({ v3Session }, n) => `v3/sessions/${at(v3Session, n)}`, key },
  { name: 'poll of a V4 run', path: ({ v4Run }, n) => `v4/runs/${at(v4Run, n)}`, key },
  { name: "poll of a V4 run's status", path: ({ v4Run }, n) => `v4/runs/${at(v4Run, n)}/status`, key },
  { name: "poll of a V4 run's events", path: ({ v4Run }, n) => `v4/runs/${at(v4Run, n)}/events`, key },
  { name: 'first page of V2 tasks', path: () => 'v2/tasks', key },
  { name: 'first page of V2 sessions', path: () => 'v2/sessions', key },
  { name: 'first page of active V2 sessions', path: () => 'v2/sessions?filterBy=active', key },
  { name: 'first page of V3 sessions', path: () => 'v3/sessions', key },
  { name: 'first page of V4 sessions', path: () => 'v4/sessions', key },
  { name: 'first page of V4 runs', path: () => 'v4/runs', key },
  { name: 'first page of V3 workspaces', path: () => 'v3/workspaces', key },
  { name: 'first page of V4 browsers', path: () => 'v4/browsers', key },
  { name: "another project's V2 tasks", path: () => 'v2/tasks', key: otherKey },
  { name: "another project's V3 sessions", path: () => 'v3/sessions', key: otherKey },
  { name: "another project's V4 runs", path: () => 'v4/runs', key: otherKey },
  {
    name: 'creation of a V3 session',
    path: () => 'v3/sessions',
    key,
    post: { body: { keepAlive: true }, status: 200, after: (answer) => `v3/sessions/${getId(answer)}/stop` },
  },
  {
    name: 'refused creation of a V3 session',
    path: () => 'v3/sessions',
    key,
    post: { body: { task: 'x', model: 'minimax-m3', thinkingLevel: 'low' }, status: 422 },
  },
];

/**
 * Limit in milliseconds. A response that takes longer ends the measurement of its request, unless it is among the first
 * `slowCalls` responses.
 */
const slowMs = 100;
const slowCalls = 4;

/** Sends a request up to `calls` times, one after the other. Returns the response times in milliseconds. */
export async function getTimes(
  { path, key: asked, post }: StoredRequest,
  { service, ids }: Stored,
  calls: number,
): Promise<number[]> {
  const headers = { 'x-service-api-key': asked, 'content-type': 'application/json' };
  const posting = post === undefined ? {} : { method: 'POST', body: JSON.stringify(post.body) };
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const begun = performance.now();
    const url = `${service.address}/api/${path(ids, call)}`;
    const answer = await getAnswer(url, { headers, ...posting }, post?.status ?? 200);
    const ms = performance.now() - begun;
    times.push(ms);
    const after = post?.after?.(answer);
    if (after !== undefined) await getAnswer(`${service.address}/api/${after}`, { method: 'POST', headers }, 200);
    if (ms > slowMs && call >= slowCalls) break;
  }
  return times;
}

function at(ids: readonly string[], n: number): string {
  return ids[n % ids.length] ?? '';
}
