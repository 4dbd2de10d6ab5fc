import type { Logger } from 'pino';
import type { Database } from '#store/database.ts';
import { keyIdOf } from './key-hash.ts';

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
