import type { ServiceAccess } from '../service/call-service.ts';
import type { Books } from './read-books.ts';

/** A process that can be killed. */
export interface Victim {
  /** What it is, as `service` or `chromium`. */
  readonly kind: string;
  readonly pid: number;
}

/**
 * The processes that make up a service, however many they are: what is proven of them does not know more than this. An address that
 * clients use may change with a restart.
 */
export interface Fleet extends ServiceAccess {
  /** One line for people: what it consists of. */
  readonly description: string;
  /** How long after a kill some of it may still be missing, in milliseconds; 0 where clients wait until it serves again. */
  readonly mendMs: number;
  /** What can be killed now; never empty while it serves. */
  victims(): Promise<Victim[]>;
  /** Kills one of them as a power failure would; settles when it is gone. */
  kill(victim: Victim): Promise<void>;
  /** Starts again what is missing; settles when clients are served. */
  restore(): Promise<void>;
  /** Processes of its browsers that nobody owns any more, a sentence each; to be asked when it serves. */
  orphans(): Promise<string[]>;
  /** What its database says of every session and run, read beside it. */
  books(): Promise<Books>;
  /** What its processes wrote into their logs, a line each: errors only, the first thousand. */
  readonly log: readonly string[];
  /** Ends it in order; answers what is left of processes and folders, a sentence each. */
  stop(): Promise<string[]>;
  /** Removes what it kept. */
  remove(): void;
}

/** How browsers of a fleet are made. */
export type Hosts = 'simulated' | 'local';

/** What may live at once: more real browsers than a machine bears would only queue, and their tasks with them. */
export const sessionsMax: Readonly<Record<Hosts, number>> = { simulated: 200, local: 8 };

/** The key of the one project of a fleet. */
export const killedKey = 'svc_killed';

/** Kills a process that may have ended by itself. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
