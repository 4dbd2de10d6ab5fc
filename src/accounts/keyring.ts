import type { Logger } from 'pino';
import { type Soon, whenThere } from '#lib/maybe-promise.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#store/database.ts';
import { prepareRead } from '#store/prepare.ts';
import { hashOf, keyIdOf } from './key-hash.ts';
import { createKeyUses } from './key-uses.ts';

/** Who a key speaks for. */
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
  /** Whom a key speaks for; null alike for a key that nobody issued, that has expired, and that was revoked. */
  principalOf(key: string): Soon<Principal | null>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

/** What a keyring works with. */
export interface KeyringParts {
  readonly db: Database;
  /** By it keys expire. */
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/**
 * Every key is looked up anew, so that a key that another process revokes is refused from the next request on. It is looked up by its
 * hash: how long that takes tells nothing of a key.
 */
export function createKeyring({ db, clock, log }: KeyringParts): Keyring {
  const uses = createKeyUses(db, log);
  return {
    principalOf(key) {
      const hash = hashOf(key);
      const nowMs = clock.now();
      return whenThere(keyWithHash(db, hash), ([row]) => {
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
