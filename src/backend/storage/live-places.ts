import type { Database } from './database.ts';

/** What a token of the live view stands for. */
export interface LivePlace {
  readonly kind: 'session' | 'browser';
  readonly id: string;
  /** Its state, as its table has it. */
  readonly status: string;
  /** `control` for the address that an answer shows, `view` for the one to hand on, `share` for a session's public share. */
  readonly right: 'control' | 'view' | 'share';
  readonly viewToken: string;
}

/** The session or browser of an unguessable token, whatever its state; null when there is none, or it was deleted. */
export async function livePlaceOf(db: Database, token: string): Promise<LivePlace | null> {
  return (await sessionOf(db, token)) ?? (await browserOf(db, token)) ?? sharedSessionOf(db, token);
}

async function sessionOf(db: Database, token: string): Promise<LivePlace | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['id', 'status', 'live_token', 'view_token'])
    .where((eb) => eb.or([eb('live_token', '=', token), eb('view_token', '=', token)]))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : placeOf('session', row, token);
}

async function browserOf(db: Database, token: string): Promise<LivePlace | null> {
  const row = await db
    .selectFrom('browsers')
    .select(['id', 'status', 'live_token', 'view_token'])
    .where((eb) => eb.or([eb('live_token', '=', token), eb('view_token', '=', token)]))
    .executeTakeFirst();
  return row === undefined ? null : placeOf('browser', row, token);
}

async function sharedSessionOf(db: Database, token: string): Promise<LivePlace | null> {
  const row = await db
    .selectFrom('shares')
    .innerJoin('sessions', 'sessions.id', 'shares.session_id')
    .select(['sessions.id', 'sessions.status', 'sessions.view_token'])
    .where('shares.token', '=', token)
    .where('sessions.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { kind: 'session', id: row.id, status: row.status, right: 'share', viewToken: row.view_token };
}

interface TokenRow {
  readonly id: string;
  readonly status: string;
  readonly live_token: string;
  readonly view_token: string;
}

function placeOf(kind: LivePlace['kind'], { id, status, live_token, view_token }: TokenRow, token: string): LivePlace {
  return { kind, id, status, right: token === live_token ? 'control' : 'view', viewToken: view_token };
}
