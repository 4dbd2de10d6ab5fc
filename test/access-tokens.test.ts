import { hash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '#store/database.ts';
import { createApiClient } from './support/api-client.ts';
import { quickFolder } from './support/quick-folder.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { undoHashedTokens } from './support/undo-hashed-tokens.ts';

/**
 * Ids of a browser, a V3 session and a shared V2 session. `urls` has the paths of the URLs with access tokens that the
 * service returns for these three.
 */
interface Shown {
  readonly ids: { readonly browser: string; readonly session: string; readonly shared: string };
  readonly urls: readonly string[];
}

async function make({ address }: StartedBackend): Promise<Shown['ids']> {
  const call = async (version: 'v2' | 'v3' | 'v4', path: string, body: object = {}): Promise<string> =>
    String((await createApiClient(address, testKey, version).call('POST', path, body)).body['id']);
  const ids = {
    browser: await call('v4', '/browsers'),
    session: await call('v3', '/sessions', { keepAlive: true }),
    shared: await call('v2', '/sessions'),
  };
  await call('v2', `/sessions/${ids.shared}/public-share`);
  return ids;
}

/**
 * Fetches the records of the resources and returns their URLs with access tokens as paths, because a restarted service
 * listens on another port.
 */
async function show({ address }: StartedBackend, ids: Shown['ids']): Promise<Shown> {
  const [v2, v3, v4] = (['v2', 'v3', 'v4'] as const).map((version) => createApiClient(address, testKey, version));
  const browser = (await v4?.call('GET', `/browsers/${ids.browser}`))?.body;
  const session = (await v3?.call('GET', `/sessions/${ids.session}`))?.body;
  const share = (await v2?.call('GET', `/sessions/${ids.shared}/public-share`))?.body;
  const urls = [browser?.['cdpUrl'], browser?.['liveUrl'], session?.['liveUrl'], share?.['shareUrl']];
  return { ids, urls: urls.map((url) => new URL(String(url)).pathname) };
}

const getToken = (path: string): string => path.split('/').at(-1) ?? '';

/** Returns the URL paths whose token occurs in clear text in a database file of the data folder. */
function inClear(dataFolder: string, { urls }: Shown): string[] {
  const files = readdirSync(dataFolder).filter((name) => name.startsWith('svc.sqlite'));
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(dataFolder, name))));
  return urls.filter((url) => bytes.includes(getToken(url)));
}

async function opens({ address }: StartedBackend, { urls }: Shown): Promise<number[]> {
  const pages = urls.map((path) => (path.startsWith('/devtools/') ? `${path}/json/version` : path));
  return Promise.all(pages.map(async (path) => (await fetch(`${address}${path}`)).status));
}

function folderOfTest(): string {
  const dataFolder = quickFolder('svc-tokens-');
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  return dataFolder;
}

it('keeps addresses that are rights over a restart, and has none of their tokens in clear', async () => {
  const dataFolder = folderOfTest();
  const first = await startBackend({ dataFolder });
  const shown = await show(first, await make(first));
  expect([await opens(first, shown), inClear(dataFolder, shown)]).toEqual([[200, 200, 200, 200], []]);
  await first.stop();
  const second = await startBackend({ dataFolder });
  onTestFinished(() => second.stop());
  expect(await show(second, shown.ids)).toEqual(shown);
  expect(await opens(second, shown)).toEqual([200, 200, 200, 200]);
});

it('seals the tokens that an earlier release left in clear, and their addresses open as before', async () => {
  const dataFolder = folderOfTest();
  const first = await startBackend({ dataFolder });
  const shown = await show(first, await make(first));
  await toEarlier(first.backend.db, shown);
  await first.stop();
  expect(inClear(dataFolder, shown)).toEqual(shown.urls);
  const second = await startBackend({ dataFolder });
  onTestFinished(() => second.stop());
  expect(await show(second, shown.ids)).toEqual(shown);
  expect(await opens(second, shown)).toEqual([200, 200, 200, 200]);
  const rows = await second.backend.db.selectFrom('browsers').selectAll().execute();
  for (const url of shown.urls) expect(JSON.stringify(rows)).not.toContain(getToken(url));
});

it('shortens the hashes of the release before, and the addresses open as before', async () => {
  const dataFolder = folderOfTest();
  const first = await startBackend({ dataFolder });
  const shown = await show(first, await make(first));
  const { db } = first.backend;
  const [cdp = '', live = '', sessionLive = '', share = ''] = shown.urls.map((url) => hash('sha256', getToken(url)));
  const view = hash('sha256', 'a view-only token');
  const { browser, session, shared } = shown.ids;
  await db
    .updateTable('browsers')
    .set({ cdpHash: cdp, liveHash: live, viewHash: view })
    .where('id', '=', browser)
    .execute();
  await db.updateTable('sessions').set({ liveHash: sessionLive, viewHash: view }).where('id', '=', session).execute();
  await db.updateTable('shares').set({ shareHash: share }).where('sessionId', '=', shared).execute();
  await sql`delete from kysely_migration where name >= '0034'`.execute(db);
  await first.stop();
  const second = await startBackend({ dataFolder });
  onTestFinished(() => second.stop());
  expect(await opens(second, shown)).toEqual([200, 200, 200, 200]);
  for (const table of ['sessions', 'browsers'] as const) {
    const id = table === 'sessions' ? session : browser;
    const row = await second.backend.db.selectFrom(table).select('viewHash').where('id', '=', id).executeTakeFirst();
    expect(row).toEqual({ viewHash: view.slice(0, 32) });
  }
});

/** Reverts the tables to the schema of an earlier release, and stores the tokens of `urls` in clear text. */
async function toEarlier(db: Database, { ids, urls }: Shown): Promise<void> {
  for (const statement of undoHashedTokens) await sql.raw(statement).execute(db);
  await sql`delete from kysely_migration where name >= '0027'`.execute(db);
  const [cdp = '', live = '', sessionLive = '', share = ''] = urls.map(getToken);
  await sql`update browsers set cdp_token = ${cdp}, live_token = ${live} where id = ${ids.browser}`.execute(db);
  await sql`update sessions set live_token = ${sessionLive} where id = ${ids.session}`.execute(db);
  await sql`update shares set token = ${share} where session_id = ${ids.shared}`.execute(db);
}
