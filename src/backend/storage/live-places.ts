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
  /** Who has its browser; null for nobody, and where the service is one process. */
  readonly owner: string | null;
  /** The public address of whoever has it, or had it last. */
  readonly ownerUrl: string | null;
}

/** The session or browser of an unguessable token, whatever its state; null when there is none, or it was deleted. */
export async function livePlaceOf(db: Database, token: string): Promise<LivePlace | null> {
  return (await sessionOf(db, token)) ?? (await browserOf(db, token)) ?? sharedSessionOf(db, token);
}

async function sessionOf(db: Database, token: string): Promise<LivePlace | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['id', 'status', 'live_token', 'view_token', 'owner', 'owner_url'])
    .where((eb) => eb.or([eb('live_token', '=', token), eb('view_token', '=', token)]))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : placeOf('session', row, token);
}

async function browserOf(db: Database, token: string): Promise<LivePlace | null> {
  const row = await db
    .selectFrom('browsers')
    .select(['id', 'status', 'live_token', 'view_token', 'owner', 'owner_url'])
    .where((eb) => eb.or([eb('live_token', '=', token), eb('view_token', '=', token)]))
    .executeTakeFirst();
  return row === undefined ? null : placeOf('browser', row, token);
}

async function sharedSessionOf(db: Database, token: string): Promise<LivePlace | null> {
  const row = await db
    .selectFrom('shares')
    .innerJoin('sessions', 'sessions.id', 'shares.session_id')
    .select(['sessions.id', 'sessions.status', 'sessions.view_token', 'sessions.owner', 'sessions.owner_url'])
    .where('shares.token', '=', token)
    .where('sessions.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, status, view_token: viewToken, owner, owner_url: ownerUrl } = row;
  return { kind: 'session', id, status, right: 'share', viewToken, owner, ownerUrl };
}

interface TokenRow {
  readonly id: string;
  readonly status: string;
  readonly live_token: string;
  readonly view_token: string;
  readonly owner: string | null;
  readonly owner_url: string | null;
}

function placeOf(kind: LivePlace['kind'], row: TokenRow, token: string): LivePlace {
  const { id, status, live_token, view_token, owner, owner_url: ownerUrl } = row;
  const right = token === live_token ? 'control' : 'view';
  return { kind, id, status, right, viewToken: view_token, owner, ownerUrl };
}
