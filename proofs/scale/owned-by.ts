import type { AccessTokens } from '#lib/vault.ts';
import type { TableReader } from '../kills/table-reader.ts';

/** Time after an end in which a session still stores videos and files, in milliseconds. */
const lingersMs = 10_000;

/** Returns the id of the running process at a URL; null without one. */
export async function workerAt(read: TableReader, address: string): Promise<string | null> {
  const [row] = await read(`select id from workers where url = ${quoted(address)} and buried_at is null`);
  return row === undefined ? null : String(row['id']);
}

/** Returns true if the service noticed the end of a process, and the process owns no live resource. */
export async function isClearedUp(read: TableReader, worker: string): Promise<boolean> {
  const id = quoted(worker);
  const rows = await read(`
    select id from workers where id = ${id} and buried_at is null
    union all select id from sessions where owner = ${id} and status in ('created', 'idle', 'running')
    union all select id from browsers where owner = ${id} and status = 'active'`);
  return rows.length === 0;
}

/** Returns the ids of the sessions and standalone browsers of a process that are live or ended a moment ago. */
export async function ownedBy(read: TableReader, worker: string): Promise<string[]> {
  const since = Date.now() - lingersMs;
  const rows = await read(`
    select id from sessions where owner = ${quoted(worker)} and (status in ('created', 'idle', 'running') or updated_at > ${since})
    union all
    select id from browsers where owner = ${quoted(worker)} and (status = 'active' or finished_at > ${since})`);
  return rows.map(({ id }) => String(id));
}

/** Returns the ids and tokens by which responses and URLs refer to the given sessions and browsers. */
export async function getNames(
  read: TableReader,
  tokens: Pick<AccessTokens, 'read'>,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const list = ids.map(quoted).join(', ');
  const runs = await read(`select id from runs where session_id in (${list})`);
  const opened = async (table: 'sessions' | 'browsers', uses: readonly string[]): Promise<string[]> => {
    const rows = await read(`select id, sealed_tokens from ${table} where id in (${list}) and sealed_tokens <> ''`);
    return rows.flatMap(({ id, sealed_tokens: sealed }) =>
      uses.map((use) => tokens.read({ id: String(id), sealedTokens: String(sealed) }, use)),
    );
  };
  const [ofSessions, ofBrowsers] = [
    await opened('sessions', ['live', 'view']),
    await opened('browsers', ['cdp', 'live', 'view']),
  ];
  return [...ids, ...runs.map(({ id }) => String(id)), ...ofSessions, ...ofBrowsers];
}

/** Quotes a text for SQL. Ids are UUIDs and URLs are generated, so nothing needs escaping. */
function quoted(text: string): string {
  if (text.includes("'")) throw new Error(`cannot ask for ${text}`);
  return `'${text}'`;
}
