import * as crypto from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { service } from '#generated/rules.ts';
import { insertKey, insertKeyWithProject, limitKey, listKeys, revokeKey, type StoredKey } from '#store/queries/keys.ts';
import type { Grant } from '#store/queries/projects.ts';
import type { Executor } from '#store/executor.ts';
import type { Database } from '#store/database.ts';

export type { Grant } from '#store/queries/projects.ts';
export { hasKeys } from '#store/queries/keys.ts';

const secretBytes = 32;

/**
 * Generates a new API key: the prefix and 32 random bytes. The key is shown once; the database stores its hash only.
 */
export function newApiKey(): string {
  return `${keyPrefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/**
 * Creates a key with a project, and applies the grant to this project. If the key exists, applies the grant to its
 * project and leaves the key unchanged: a revoked key stays revoked. `make.now` is milliseconds since the epoch.
 * Rejects for a text without the prefix of keys or without a secret part.
 */
export async function bootstrapKey(
  db: Database,
  key: string,
  make: { newId: () => string; now: number; grant: Grant },
): Promise<void> {
  if (!key.startsWith(keyPrefix) || key.length <= keyPrefix.length) {
    throw new Error(
      `found a bootstrap key that does not start with "${keyPrefix}", expected ${keyPrefix} followed by the secret part`,
    );
  }
  const prefix = shownPrefix(key);
  const stored = { hash: hashKey(key), prefix, name: null, projectId: make.newId(), createdAtMs: make.now };
  await insertKeyWithProject(db, {
    key: { ...stored, expiresAtMs: null, maySchedule: false },
    projectName: `project of ${prefix}`,
    grant: make.grant,
  });
}

/** Prefix of every API key (contract section 5; its value comes from the companion). */
const keyPrefix = service.keyPrefix.value;

const shownCharacters = 8;
const keyIdCharacters = 16;

/**
 * Returns the stored hash of a key: its SHA-256 in hexadecimal. A key has 256 random bits, so that a slow hash function
 * is not needed.
 */
export function hashKey(key: string): string {
  return crypto.hash('sha256', key, 'hex');
}

/** Returns the public id of a key: the first 16 hexadecimal digits of its hash. */
export function keyIdFromHash(hash: string): string {
  return hash.slice(0, keyIdCharacters);
}

/** Returns whether a text has the form of a key id. */
function isKeyId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** Returns the visible beginning of a key, by which its holder recognises it: the prefix and four characters. */
function shownPrefix(key: string): string {
  return key.slice(0, shownCharacters);
}

/** Metadata of an API key, without the key; times are milliseconds since the epoch. */
export interface IssuedKey {
  /** Id of the key: the first 16 hexadecimal digits of its hash. */
  readonly id: string;
  /** Visible beginning of the key: its first 8 characters. */
  readonly prefix: string;
  readonly name: string | null;
  readonly projectId: string;
  readonly createdAtMs: number;
  /** Recorded time of the latest use, which may be up to one minute before the actual use; null for an unused key. */
  readonly lastUsedAtMs: number | null;
  /** Time from which the key is rejected; null for a key that does not expire. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Whether the key may create, confirm and end schedules. */
  readonly maySchedule: boolean;
  /** Maximum spend in a calendar month (UTC) in micro-dollars; null for no maximum. */
  readonly monthlyMicros: number | null;
}

/** Settings of a new key. */
export interface NewKey {
  readonly projectId: string;
  readonly name: string | null;
  readonly nowMs: number;
  readonly expiresAtMs: number | null;
  /** Whether the key may create, confirm and end schedules. @defaultValue false */
  readonly maySchedule?: boolean;
  /** Maximum spend in a calendar month (UTC) in micro-dollars. @defaultValue null, no maximum */
  readonly monthlyMicros?: number | null;
}

/** Management of the API keys of a database, revoked and expired keys included. */
export interface IssuedKeys {
  /** Creates a key and returns it. The key cannot be read again later. */
  issue(wanted: NewKey): Promise<{ readonly key: string; readonly issued: IssuedKey }>;
  /** Returns the keys of a project, or of all projects for null, oldest first. */
  list(projectId: string | null): Promise<IssuedKey[]>;
  /**
   * Revokes a key at once, in every process. The time of an earlier revocation stays. Returns null for an unknown id.
   */
  revoke(id: string, nowMs: number): Promise<IssuedKey | null>;
  /** Sets the monthly spend limit of a key in micro-dollars; null removes it. Returns null for an unknown id. */
  limit(id: string, monthlyMicros: number | null): Promise<IssuedKey | null>;
}

/** Creates the management of a database's API keys. A service may use the database at the same time. */
export function createIssuedKeys(db: Executor): IssuedKeys {
  return {
    async issue({ projectId, name, nowMs, expiresAtMs, maySchedule = false, monthlyMicros = null }) {
      const key = newApiKey();
      const wanted = { projectId, name, createdAtMs: nowMs, expiresAtMs, maySchedule, monthlyMicros };
      const stored = await insertKey(db, { hash: hashKey(key), prefix: shownPrefix(key), ...wanted });
      return { key, issued: shown(stored) };
    },
    async list(projectId) {
      return (await listKeys(db, projectId)).map(shown);
    },
    async revoke(id, nowMs) {
      if (!isKeyId(id)) return null;
      const revoked = await revokeKey(db, id, nowMs);
      return revoked === null ? null : shown(revoked);
    },
    async limit(id, monthlyMicros) {
      const limited = isKeyId(id) ? await limitKey(db, id, monthlyMicros) : null;
      return limited === null ? null : shown(limited);
    },
  };
}

function shown({ hash, ...rest }: StoredKey): IssuedKey {
  return { id: keyIdFromHash(hash), ...rest };
}
