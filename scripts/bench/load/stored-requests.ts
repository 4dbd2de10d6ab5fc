import { answerOf } from '../answer-of.ts';
import type { FilledIds } from './fill-database.ts';
import type { Stored } from './stored-service.ts';
import { storedKeys } from './stored-keys.ts';

/** One thing that is asked of a service with many stored sessions. */
export interface StoredRequest {
  readonly name: string;
  readonly path: (ids: FilledIds, n: number) => string;
  readonly key: string;
}

const { key, otherKey } = storedKeys;

/** What is asked: a poll of each kind, and the first page of each list. */
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
];

/** After one that is slow there are only some: it is seen in few. */
const slowMs = 100;
const slowCalls = 4;

/** Times of so many requests, one after the other, in milliseconds. */
export async function timesOf(
  { path, key: asked }: StoredRequest,
  { service, ids }: Stored,
  calls: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const begun = performance.now();
    await answerOf(`${service.address}/api/${path(ids, call)}`, { headers: { 'x-service-api-key': asked } }, 200);
    times.push(performance.now() - begun);
    if (performance.now() - begun > slowMs && call >= slowCalls) break;
  }
  return times;
}

function at(ids: readonly string[], n: number): string {
  return ids[n % ids.length] ?? '';
}
