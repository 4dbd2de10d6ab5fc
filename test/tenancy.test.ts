import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type Answer, createApiClient } from './support/api-client.ts';
import { type NamingRequest, mixedRequests, namingRequests } from './support/naming-requests.ts';
import {
  callOperation,
  formatOperation,
  nobodys,
  nothing,
  collectResponses,
  withIds,
} from './support/operation-calls.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { type ProjectResources, createResources } from './support/tenancy-world.ts';
import { type Listed, uuidPlaces } from './support/uuid-places.ts';

/** Operations that answer 204 for any id, because the documents have no 404 for them (companion 5.1 and 7.1). */
const answeredForAll = ['v2 deleteProfile', 'v3 deleteProfile', 'v4 deleteProfile', 'v4 deleteWorkspace'];

let started: StartedBackend;
let ours: ProjectResources;
let theirs: ProjectResources;

beforeAll(async () => {
  started = await startBackend();
  ours = await createResources(started.address, testKey);
  theirs = await createResources(started.address, otherKey);
});
afterAll(() => started.stop());

const send = (key: string, operation: Listed, ids: ProjectResources | null): Promise<Answer> =>
  callOperation({ address: started.address, key }, operation, ids);

const seen = (): Promise<[string, string][]> => collectResponses({ address: started.address, key: testKey }, ours);

/**
 * Returns a number that orders the operations of the test, because an operation may delete what later operations need.
 * Deletions come last; of these, the longest paths come first.
 */
function order({ method, path }: Listed): number {
  if (method !== 'delete') return ['get', 'post', 'patch'].indexOf(method) * 100 - path.length / 100;
  return 1000 - path.length;
}

describe('an id in the path that belongs to another project', () => {
  it('is known to no operation, and nothing of ours changes', async () => {
    const before = await seen();
    for (const operation of withIds) {
      const answer = await send(otherKey, operation, ours);
      expect([formatOperation(operation), answer]).toEqual([
        formatOperation(operation),
        await send(otherKey, operation, null),
      ]);
      const allowed = answeredForAll.includes(formatOperation(operation)) ? 204 : expect.toSatisfy(isRefusal);
      expect([formatOperation(operation), answer.status]).toEqual([formatOperation(operation), allowed]);
    }
    expect(before.map(([, shown]) => shown).filter((shown) => !shown.startsWith('200'))).toEqual([]);
    expect(await seen()).toEqual(before);
  });
});

function isRefusal(status: number): boolean {
  return status === 403 || status === 404;
}

const api = (key: string, { place }: NamingRequest): ReturnType<typeof createApiClient> =>
  createApiClient(started.address, key, place.slice(0, 2) as Listed['version']);

/**
 * Sends a request that contains the id of a record. Returns the members of the answer that could reveal the record, in
 * which `ID` replaces the id.
 */
async function naming(key: string, request: NamingRequest, id: string): Promise<JsonObject> {
  const own = key === testKey ? ours : theirs;
  const { status, body } = await api(key, request).call(request.method, request.path(id, own), request.body?.(id, own));
  const { items, runs, messages, missingFileIds = null, attachedFileIds = null, detail = null } = body;
  const answered = { status, detail, missingFileIds, attachedFileIds, listed: items ?? runs ?? messages ?? null };
  return JSON.parse(JSON.stringify(answered).replaceAll(id, 'ID')) as JsonObject;
}

describe('an id in a body or a query that belongs to another project', () => {
  it('is tried in every place that the documents have', () => {
    expect(namingRequests.map(({ place }) => place).toSorted()).toEqual(uuidPlaces().toSorted());
  });

  it.each([...namingRequests, ...mixedRequests])('$place is answered like an unknown id', async (request) => {
    const unknown = await naming(otherKey, request, nothing[request.names] ?? nobodys);
    expect(await naming(otherKey, request, ours[request.names])).toEqual(unknown);
    const tells = request.always === undefined && request.method !== 'DELETE';
    if (tells) expect(await naming(testKey, request, ours[request.names])).not.toEqual(unknown);
  });
});

it('every operation with an id in its path knows ours', async () => {
  for (const operation of withIds.toSorted((one, other) => order(one) - order(other))) {
    const { status } = await send(testKey, operation, ours);
    expect([formatOperation(operation), status]).toEqual([formatOperation(operation), expect.not.toSatisfy(isUnknown)]);
  }
});

function isUnknown(status: number): boolean {
  return status === 404 || status >= 500;
}
