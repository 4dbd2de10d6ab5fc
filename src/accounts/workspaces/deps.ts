import type { Logger } from 'pino';
import type { Clock } from '#lib/clock.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';

/** Bounds of workspaces. */
export interface WorkspaceLimits {
  /** Bytes that one workspace may hold. */
  readonly bytesMax: number;
  /** How long an upload address opens, in milliseconds. */
  readonly uploadLifetimeMs: number;
}

/** Everything that workspaces work with. */
export interface WorkspaceDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
  readonly limits: WorkspaceLimits;
  /** Whether no other process works on the same database. */
  readonly isAlone: boolean;
  readonly log: Logger;
}
