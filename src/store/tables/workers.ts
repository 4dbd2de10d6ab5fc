import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** One process of a service of several processes. Its times come from the database's clock. */
export interface WorkerTable {
  id: string;
  role: WorkerRole;
  /** URL at which clients reach the process. */
  url: string;
  /** Whether the process accepts no further work. */
  isDraining: Generated<Flag>;
  heartbeatAt: TimeMs;
  /** Time at which the process left, or other processes declared it dead; the process then owns nothing. */
  buriedAt: TimeMs | null;
}

/** Role of a process: it answers requests, runs sandboxes, or both. */
export type WorkerRole = 'api' | 'worker' | 'all';
