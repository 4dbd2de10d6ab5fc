import type { Logger } from 'pino';
import type { Clock } from '#lib/clock.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import { findAcceptedKey, recordKeyUse } from '#store/queries/keys.ts';
import { hashKey, keyIdFromHash } from './api-keys.ts';
import type { Executor } from '#store/executor.ts';

/** The project and key of a request. */
export interface Principal {
  readonly projectId: string;
  /** Public id of the key: the beginning of its hash. For a console login by link, the id of the login. */
  readonly keyId: string;
  /** Whether the project has zero data retention. */
  readonly zeroDataRetention: boolean;
  /** Limits of the project; a member that is null applies the default of the service. */
  readonly limits: ProjectLimits;
  /** Whether the key or login may create, confirm and end schedules. */
  readonly maySchedule: boolean;
  /** Maximum spend of the key in a calendar month in micro-dollars; null for no maximum, and for a login by link. */
  readonly monthlyMicros: number | null;
}

/** Limits of a single project. */
export interface ProjectLimits {
  /** Maximum number of active sandboxes; null for the default of the service. */
  readonly sessionsMax: number | null;
  readonly requestsPerSecond: number | null;
}

/** Authentication of API keys. */
export interface Keyring {
  /** Returns the principal of a key; null for unknown, expired and revoked keys alike. */
  findPrincipal(key: string): MaybePromise<Principal | null>;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

/** Dependencies of a keyring. */
export interface KeyringDeps {
  readonly db: Executor;
  /** Clock that decides whether a key has expired. */
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/**
 * Creates a keyring. It reads each key from the database, so that a revocation by another process applies to the next
 * request. It searches by hash, so that the duration reveals nothing about a key.
 */
export function createKeyring({ db, clock, log }: KeyringDeps): Keyring {
  const uses = createKeyUses(db, log);
  return {
    findPrincipal(key) {
      const hash = hashKey(key);
      const nowMs = clock.now();
      return whenResolved(findAcceptedKey(db, hash), ([row]) => {
        if (row === undefined || (row.expiresAt !== null && row.expiresAt <= nowMs)) return null;
        uses.note({ hash, nowMs, lastUsedAtMs: row.lastUsedAt });
        return {
          projectId: row.projectId,
          keyId: keyIdFromHash(hash),
          zeroDataRetention: row.zeroDataRetention === 1,
          limits: { sessionsMax: row.sessionsMax, requestsPerSecond: row.requestsPerSecond },
          maySchedule: row.maySchedule === 1,
          monthlyMicros: row.monthlyMicros,
        };
      });
    },
    close: () => uses.close(),
  };
}

/** Minimum time between two recorded uses of a key, in milliseconds. */
const intervalMs = 60_000;

/** A use of a key; times are milliseconds since the epoch. */
export interface KeyUse {
  readonly hash: string;
  readonly nowMs: number;
  /** Recorded time of the previous use; null for the first use. */
  readonly lastUsedAtMs: number | null;
}

/** A recorder of the time at which each key was last used. */
export interface KeyUses {
  /** Records a use asynchronously, at most once a minute for each key. */
  note(use: KeyUse): void;
  /** Waits for pending writes; no use may be recorded afterwards. */
  close(): Promise<void>;
}

/**
 * Creates the recorder of key uses. A failed write is logged and fails no request. The next use of the key, at least a
 * minute later, writes again.
 */
export function createKeyUses(db: Executor, log: Logger): KeyUses {
  /**
   * Time of the latest write by hash of the key. A failed write counts too, so that not every request writes to a
   * failing database.
   */
  const tried = new Map<string, number>();
  const writing = new Set<Promise<void>>();
  const write = async ({ hash, nowMs }: KeyUse): Promise<void> => {
    try {
      await recordKeyUse(db, hash, nowMs);
    } catch (error) {
      log.warn({ key: keyIdFromHash(hash), err: error }, 'the last use of a key could not be written');
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
