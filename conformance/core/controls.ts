import type { ProviderCall } from './provider-call.ts';
import type { Exchange } from './exchange.ts';

/**
 * Moves the clock of a target that has a control URL. Without a control URL, waits in real time in a run with
 * `--patient`.
 */
export interface ControlClock {
  /** Lets `ms` milliseconds pass on the target's clock. Throws NotTestable if the target refuses. */
  advance(ms: number): Promise<void>;
}

/** Injects faults through a control URL. Every call throws NotTestable if the target refuses. */
export interface ControlFaults {
  /** Makes every start of a sandbox fail while `use` runs. Restores starts afterwards, also if `use` throws. */
  withoutStarts<T>(use: () => Promise<T>): Promise<T>;
  /** Restores starts of sandboxes; has no effect if they work. */
  restoreStarts(): Promise<void>;
  /** Ends the sandbox of a session. The session cannot recover it. */
  crash(sessionId: string): Promise<void>;
}

/** Requests of one task that the provider stub received. */
export interface Reached {
  /** The response of the stub that lists the calls. */
  exchange: Exchange;
  /** The calls in the order of arrival. */
  calls: ProviderCall[];
}

/** Reads the requests that the provider stub of a run has received. */
export interface StubReader {
  /** Returns the requests whose texts contain a mark. Throws NotTestable if the stub cannot be read. */
  reached(mark: string): Promise<Reached>;
}

/**
 * Runs tasks within a limit of their rate and concurrency, in the order of the calls. A task that is passed with
 * `first` starts before all waiting tasks.
 */
export type Throttle = <T>(task: () => Promise<T>, place?: 'first') => Promise<T>;
