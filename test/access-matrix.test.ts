import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssuedKeys, newApiKey } from '#accounts/api-keys.ts';
import { createProjects } from '#accounts/projects.ts';
import { operations } from '#generated/operations.ts';
import { createApiClient } from './support/api-client.ts';
import { formatOperation, buildPath, collectResponses, withIds } from './support/operation-calls.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { logInWithKey } from './support/console-client.ts';
import { type ProjectResources, createResources } from './support/tenancy-world.ts';
import { type Listed, exampleBody } from './support/uuid-places.ts';

/** Kinds of keys that no operation accepts. For `no key`, a request has no key header. */
const kinds = ['no key', 'an empty key', 'a wrong key', 'a revoked key', 'an expired key'] as const;
type Keys = Readonly<Record<(typeof kinds)[number], string | null>>;

/** Requests with a console login that must be refused: for each case, the headers, including the login's cookie. */
const logins = {
  'a cookie of the console without its token': (cookie) => ({ cookie }),
  'with an empty token': (cookie) => ({ cookie, 'x-service-console': '' }),
  'with the token of another login': (cookie, { other }) => ({ cookie, 'x-service-console': other }),
  'with its token, from another site': (cookie, { token }) => ({
    cookie,
    'x-service-console': token,
    origin: 'https://elsewhere.example',
  }),
  'with its token and a wrong key': (cookie, { token }) => ({
    cookie,
    'x-service-console': token,
    'x-service-api-key': newApiKey(),
  }),
} satisfies Record<
  string,
  (cookie: string, tokens: { readonly token: string; readonly other: string }) => Readonly<Record<string, string>>
>;

const hourMs = 3_600_000;

let started: StartedBackend;
let ours: ProjectResources;
let keys: Keys;

beforeAll(async () => {
  started = await startBackend();
  // `refusedKeys` advances the clock by an hour. It runs first, so that the hour changes no other resource.
  keys = await refusedKeys();
  ours = await createResources(started.address, testKey);
});
afterAll(() => started.stop());

/** Returns a key of each kind. The revoked and the expired key belong to our own project and were accepted before. */
async function refusedKeys(): Promise<Keys> {
  const { db } = started.backend;
  const issued = createIssuedKeys(db);
  const [project] = await createProjects(db).list();
  const nowMs = started.clock.now();
  const wanted = { projectId: String(project?.id), name: null, nowMs };
  const revoked = await issued.issue({ ...wanted, expiresAtMs: null });
  const expired = await issued.issue({ ...wanted, expiresAtMs: nowMs + hourMs });
  for (const { key } of [revoked, expired])
    expect((await createApiClient(started.address, key).call('GET', '/sessions')).status).toBe(200);
  await issued.revoke(revoked.issued.id, nowMs);
  started.clock.advance(hourMs);
  return {
    'no key': null,
    'an empty key': '',
    'a wrong key': newApiKey(),
    'a revoked key': revoked.key,
    'an expired key': expired.key,
  };
}

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends the example request of an operation, with a key or, if `key` is null, without a key. Returns the response
 * without values that differ between any two requests.
 */
async function send(key: string | null, operation: Listed, ids: ProjectResources | null): Promise<Seen> {
  return sendWith(key === null ? {} : { 'x-service-api-key': key }, operation, ids);
}

async function sendWith(
  given: Readonly<Record<string, string>>,
  operation: Listed,
  ids: ProjectResources | null,
): Promise<Seen> {
  const body = exampleBody(operation);
  const headers = {
    ...given,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const address = `${started.address}/api/${operation.version}${buildPath(operation, ids)}`;
  const method = operation.method.toUpperCase();
  const response = await fetch(address, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const told = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return { status: response.status, headers: Object.fromEntries(told), text: await response.text() };
}

describe.each(kinds)('%s', (kind) => {
  it('opens no operation, answers alike for existing and unknown ids, and changes nothing', async () => {
    const before = await collectResponses({ address: started.address, key: testKey }, ours);
    for (const operation of operations) {
      const refusal = await send(null, operation, null);
      expect([formatOperation(operation), refusal.status]).toEqual([formatOperation(operation), 401]);
      expect([formatOperation(operation), await send(keys[kind], operation, ours)]).toEqual([
        formatOperation(operation),
        refusal,
      ]);
      expect([formatOperation(operation), await send(keys[kind], operation, null)]).toEqual([
        formatOperation(operation),
        refusal,
      ]);
    }
    expect(await collectResponses({ address: started.address, key: testKey }, ours)).toEqual(before);
    expect(before.map(([, shown]) => shown).filter((shown) => !shown.startsWith('200'))).toEqual([]);
  });
});

describe('a login to the console', () => {
  it.each(Object.entries(logins))(
    '%s opens no operation, tells nothing of our ids, and changes nothing',
    async (_, with_) => {
      const login = await logInWithKey(started.address, testKey);
      const other = (await logInWithKey(started.address, testKey)).token;
      const headers = with_(login.cookie, { token: login.token, other });
      const before = await collectResponses({ address: started.address, key: testKey }, ours);
      for (const operation of operations) {
        const refusal = await send(null, operation, null);
        expect([formatOperation(operation), await sendWith(headers, operation, ours)]).toEqual([
          formatOperation(operation),
          refusal,
        ]);
        expect([formatOperation(operation), await sendWith(headers, operation, null)]).toEqual([
          formatOperation(operation),
          refusal,
        ]);
      }
      expect(await collectResponses({ address: started.address, key: testKey }, ours)).toEqual(before);
    },
  );

  it('that is whole opens what its key opens', async () => {
    const { cookie, token } = await logInWithKey(started.address, testKey);
    const reads = operations.filter((operation) => operation.method === 'get' && !withIds.includes(operation));
    for (const operation of reads) {
      const seen = await sendWith({ cookie, 'x-service-console': token }, operation, null);
      expect([formatOperation(operation), seen.status]).toEqual([formatOperation(operation), 200]);
    }
  });
});

/** tenancy.test.ts covers requests of another project with our ids, operation by operation. */
describe("another project's key", () => {
  it('sees nothing of ours in what it reads without an id', async () => {
    const reads = operations.filter((operation) => operation.method === 'get' && !withIds.includes(operation));
    expect(reads.length).toBeGreaterThan(10);
    for (const operation of reads) {
      const ids = Object.values(ours).filter((id) => id.length > 10);
      const told = (answer: Seen): string[] => ids.filter((id) => answer.text.includes(id));
      const theirs = await send(otherKey, operation, null);
      expect([formatOperation(operation), theirs.status, told(theirs)]).toEqual([formatOperation(operation), 200, []]);
    }
  });
});
