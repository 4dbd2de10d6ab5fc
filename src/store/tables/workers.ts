import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** One process of a service of several. Its times are those of the database's clock. */
export interface WorkerTable {
  id: string;
  role: WorkerRole;
  /** Where clients reach it. */
  url: string;
  /** Whether it takes nothing new any more. */
  is_draining: Generated<Flag>;
  heartbeat_at: TimeMs;
  /** When others took it for dead; from then on it owns nothing. */
  buried_at: TimeMs | null;
}

/** Role of a process: it answers requests, runs sandboxes, or both. */
export type WorkerRole = 'api' | 'worker' | 'all';
