import { hasCode } from '#lib/system-errors.ts';
import type { ServiceAccess } from '../service/call-service.ts';
import type { Books } from './read-books.ts';

/** A process that can be killed. */
export interface Victim {
  /** Kind of the process, such as `service` or `chromium`. */
  readonly kind: string;
  readonly pid: number;
}

/**
 * The processes of a service. Proofs use only this interface, so they work with any number of processes. The URL may
 * change with a restart.
 */
export interface Fleet extends ServiceAccess {
  /** Description of the fleet in one line. */
  readonly description: string;
  /**
   * Milliseconds after a kill or a restart in which a part of the service may be unavailable; 0 if clients send no
   * requests before the restart.
   */
  readonly mendMs: number;
  /** Returns the processes that can be killed; never empty while the fleet serves. */
  victims(): Promise<Victim[]>;
  /** Sends SIGKILL to a process. For a process of the service, resolves when this process has ended. */
  kill(victim: Victim): Promise<void>;
  /** Restarts missing processes; resolves when requests are served. */
  restore(): Promise<void>;
  /** Returns orphaned browser processes, one sentence each; call it while the fleet serves. */
  orphans(): Promise<string[]>;
  /** Checks the consistency of sessions and runs in the database of the fleet. */
  books(): Promise<Books>;
  /** First error lines of all processes of the fleet, up to a limit. */
  readonly log: readonly string[];
  /** Stops the fleet; returns remaining processes and folders, one sentence each. */
  stop(): Promise<string[]>;
  /** Removes the data of the fleet. */
  remove(): void;
}

/** Kind of browsers of a fleet. */
export type Hosts = 'simulated' | 'local';

/**
 * Maximum number of concurrent sessions by kind of browser. With more sessions, real browsers would wait in a queue.
 */
export const sessionsMax: Readonly<Record<Hosts, number>> = { simulated: 200, local: 8 };

/** Key of the only project of a fleet. */
export const killedKey = 'svc_killed';

/** Sends SIGKILL to a process. Ignores a process that has already ended. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
