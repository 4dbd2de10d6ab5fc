import type { Logger } from 'pino';
import type { Clock } from '#lib/clock.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';

/** Limits of workspaces. */
export interface WorkspaceLimits {
  /** Maximum number of bytes of one workspace. */
  readonly bytesMax: number;
  /** Lifetime of an upload URL, in milliseconds. */
  readonly uploadLifetimeMs: number;
}

/** Dependencies of workspaces. */
export interface WorkspaceDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
  readonly limits: WorkspaceLimits;
  /** Whether this is the only process that uses the database. */
  readonly isAlone: boolean;
  readonly log: Logger;
}
