import type { Logger } from 'pino';
import type { Clock } from '#lib/clock.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import type { Database } from '#store/database.ts';
import { prepareRead } from '#store/prepare.ts';
import { hashOf, keyIdOf } from './api-keys.ts';

/** The project and key of a request. */
export interface Principal {
  readonly projectId: string;
  /** Names the key without revealing it: the beginning of its hash. */
  readonly keyId: string;
  /** Whether the project has zero data retention. */
  readonly zeroDataRetention: boolean;
  /** What the project may do at most; null for what the service lets everybody do. */
  readonly limits: ProjectLimits;
}

/** Limits of one project's own. */
export interface ProjectLimits {
  /** Living sandboxes. */
  readonly sessionsMax: number | null;
  readonly requestsPerSecond: number | null;
}

/** The keys that a service accepts. */
export interface Keyring {
  /** Returns the principal of a key; null alike for unknown, expired and revoked keys. */
  principalOf(key: string): MaybePromise<Principal | null>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

/** What a keyring works with. */
export interface KeyringDeps {
  readonly db: Database;
  /** By it keys expire. */
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/**
 * Every key is looked up anew, so that a key that another process revokes is refused from the next request on. It is looked up by its
 * hash: how long that takes tells nothing of a key.
 */
export function createKeyring({ db, clock, log }: KeyringDeps): Keyring {
  const uses = createKeyUses(db, log);
  return {
    principalOf(key) {
      const hash = hashOf(key);
      const nowMs = clock.now();
      return whenResolved(keyWithHash(db, hash), ([row]) => {
        if (row === undefined || (row.expires_at !== null && row.expires_at <= nowMs)) return null;
        uses.note({ hash, nowMs, lastUsedAtMs: row.last_used_at });
        return {
          projectId: row.project_id,
          keyId: keyIdOf(hash),
          zeroDataRetention: row.zero_data_retention === 1,
          limits: { sessionsMax: row.sessions_max, requestsPerSecond: row.requests_per_second },
        };
      });
    },
    close: () => uses.close(),
  };
}

const keyWithHash = prepareRead((db, hash) =>
  db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(['project_id', 'zero_data_retention', 'last_used_at', 'sessions_max', 'requests_per_second', 'expires_at'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null),
);

/** How long a use of a key stays unwritten when an earlier one is on record. */
const intervalMs = 60_000;

/** One use of a key; times are milliseconds since the epoch. */
export interface KeyUse {
  readonly hash: string;
  readonly nowMs: number;
  /** The use on record, or null. */
  readonly lastUsedAtMs: number | null;
}

/** Writes down when keys were last used. */
export interface KeyUses {
  /** Takes note of a use; the write follows behind the request, at most one in a minute for each key. */
  note(use: KeyUse): void;
  /** Waits for the writes under way; nothing may be noted afterwards. */
  close(): Promise<void>;
}

/** A record that cannot be written is said in the log and left out until the next minute: no request fails for it. */
export function createKeyUses(db: Database, log: Logger): KeyUses {
  /** Tries too, so that a database that refuses is not asked with every request. */
  const tried = new Map<string, number>();
  const writing = new Set<Promise<void>>();
  const write = async ({ hash, nowMs }: KeyUse): Promise<void> => {
    try {
      await db.updateTable('api_keys').set({ last_used_at: nowMs }).where('hash', '=', hash).execute();
    } catch (error) {
      log.warn({ key: keyIdOf(hash), err: error }, 'the last use of a key could not be written');
    }
  };
  return {
    note(use) {
      const lastMs = Math.max(tried.get(use.hash) ?? -Infinity, use.lastUsedAtMs ?? -Infinity);
      if (use.nowMs - lastMs < intervalMs) return;
      tried.set(use.hash, use.nowMs);
      const written = write(use).finally(() => writing.delete(written));
      writing.add(written);
    },
    async close() {
      await Promise.all(writing);
    },
  };
}
