import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IssuedKeys, createIssuedKeys } from '#accounts/api-keys.ts';
import { createKeyring, createKeyUses } from '#accounts/keyring.ts';
import { createProjects } from '#accounts/projects.ts';
import { openDatabase } from '#store/open-database.ts';
import { keptText } from '../support/kept-text.ts';
import { createApiClient } from '../support/api-client.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { type StartedBackend, startBackend, testKey } from '../support/start-backend.ts';

let started: StartedBackend;
let keys: IssuedKeys;
let projectId: string;

beforeEach(async () => {
  started = await startBackend();
  keys = createIssuedKeys(started.backend.db);
  projectId = String((await createProjects(started.backend.db).list())[0]?.id);
});
afterEach(() => started.stop());

const issue = async (expiresInMs: number | null = null) => {
  const nowMs = started.clock.now();
  return keys.issue({ projectId, name: 'ci', nowMs, expiresAtMs: expiresInMs === null ? null : nowMs + expiresInMs });
};
const fetchStatus = async (key: string): Promise<number> =>
  (await createApiClient(started.address, key).call('GET', '/sessions')).status;

/**
 * Creates a keyring whose clock stands still until the test sets it. `at` is the creation time of the key; `accepts`
 * sets the clock and returns whether the keyring then accepts the key.
 */
function stillKeyring({ key, issued }: Awaited<ReturnType<IssuedKeys['issue']>>) {
  const at = issued.createdAtMs;
  let nowMs = at;
  const keyring = createKeyring({
    db: started.backend.db,
    clock: { now: () => nowMs },
    log: pino({ level: 'silent' }),
  });
  const accepts = async (timeMs: number): Promise<boolean> => {
    nowMs = timeMs;
    return (await keyring.findPrincipal(key)) !== null;
  };
  return { at, accepts, keyring };
}

describe('an issued key', () => {
  it('speaks for its project, and is nowhere but in the answer to its creation', async () => {
    const { key, issued } = await issue();
    expect(issued).toMatchObject({ prefix: key.slice(0, 8), name: 'ci', projectId, expiresAtMs: null });
    const { body } = await createApiClient(started.address, key, 'v2').call('GET', '/billing/account');
    expect(body).toMatchObject({ projectId, apiKeyId: issued.id });
    expect(filesWith(started.dataFolder, key)).toEqual([]);
    const kept = await keptText(started);
    expect([kept.includes(key), kept.includes(issued.prefix)]).toEqual([false, true]);
  });

  it('is refused from the moment of its expiry on, and not before', async () => {
    const { at, accepts, keyring } = stillKeyring(await issue(1000));
    expect([await accepts(at + 999), await accepts(at + 1000), await accepts(at + 999)]).toEqual([true, false, true]);
    await keyring.close();
  });

  it('that another connection revokes is refused by the next request; revoking it again changes nothing', async () => {
    const { key, issued } = await issue();
    const { key: kept } = await issue();
    expect(await fetchStatus(key)).toBe(200);
    const elsewhere = await openDatabase(started.database);
    const first = await createIssuedKeys(elsewhere).revoke(issued.id, 7);
    const again = await createIssuedKeys(elsewhere).revoke(issued.id, 8);
    await elsewhere.destroy();
    expect([first?.revokedAtMs, again?.revokedAtMs]).toEqual([7, 7]);
    expect([await fetchStatus(key), await fetchStatus(kept), await fetchStatus(testKey)]).toEqual([401, 200, 200]);
  });

  it.each(['', '%', '________________', 'svc_test', '0'.repeat(16)])('is not revoked by the id %j', async (id) => {
    const { key } = await issue();
    expect(await keys.revoke(id, 7)).toBeNull();
    expect(await fetchStatus(key)).toBe(200);
  });
});

describe('a bootstrap key', () => {
  it('that was revoked does not come back with the next start, and none is made in its place', async () => {
    const dataFolder = quickFolder('svc-keys-');
    await started.stop();
    started = await startBackend({ dataFolder });
    const { db } = started.backend;
    for (const { id } of await createIssuedKeys(db).list(null)) await createIssuedKeys(db).revoke(id, 7);
    await started.stop();
    started = await startBackend({ dataFolder });
    expect(await fetchStatus(testKey)).toBe(401);
    expect(await createProjects(started.backend.db).list()).toHaveLength(2);
    rmSync(dataFolder, { recursive: true });
  });
});

describe('the last use of a key', () => {
  it('is written once a minute, by accepted requests alone', async () => {
    const made = await issue(180_000);
    const { at, accepts, keyring } = stillKeyring(made);
    const used = async (nowMs: number): Promise<number | null | undefined> => {
      await accepts(nowMs);
      await keyring.close();
      return (await keys.list(projectId)).find(({ id }) => id === made.issued.id)?.lastUsedAtMs;
    };
    expect(made.issued.lastUsedAtMs).toBeNull();
    const seen = [await used(at), await used(at + 59_999), await used(at + 60_000), await used(at + 180_000)];
    expect(seen).toEqual([at, at, at + 60_000, at + 60_000]);
  });

  it('that another process has written is not written again within the minute', async () => {
    const made = await issue();
    for (const laterMs of [0, 30_000]) {
      const { at, accepts, keyring } = stillKeyring(made);
      await accepts(at + laterMs);
      await keyring.close();
    }
    const listed = (await keys.list(null)).find(({ id }) => id === made.issued.id);
    expect(listed).toMatchObject({ lastUsedAtMs: made.issued.createdAtMs });
  });

  it('that cannot be written is told in the log once, without the key, and fails no request', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const closed = await openDatabase(':memory:');
    await closed.destroy();
    const uses = createKeyUses(closed, pino({ level: 'warn' }, sink));
    const hash = '0123456789abcdef'.repeat(4);
    for (const nowMs of [1, 2, 3]) uses.note({ hash, nowMs, lastUsedAtMs: null });
    await uses.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('0123456789abcdef');
    expect(lines[0]).not.toContain(hash);
  });
});

/** Returns the files below a folder whose bytes contain a text. */
function filesWith(folder: string, wanted: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => readFileSync(file).includes(wanted));
}
