import type { ProviderCall } from './provider-call.ts';
import type { Exchange } from './exchange.ts';

/** Moves the clock of a target that has a control address. */
export interface ControlClock {
  /** Lets `ms` milliseconds pass for the target. Throws NotTestable when the target does not take it. */
  advance(ms: number): Promise<void>;
}

/** Makes things fail behind a control address. Every call throws NotTestable when the target does not take it. */
export interface ControlFaults {
  /** Lets every start of a sandbox fail while `use` runs. Sandboxes start again afterwards, also when `use` throws. */
  withoutStarts<T>(use: () => Promise<T>): Promise<T>;
  /** Lets sandboxes start again; without effect where they do. */
  restoreStarts(): Promise<void>;
  /** Ends the sandbox of a session in a way that nothing recovers from. */
  crash(sessionId: string): Promise<void>;
}

/** What reached the provider stub for one task. */
export interface Reached {
  /** The answer of the stub that shows it. */
  exchange: Exchange;
  /** In the order of arrival. */
  calls: ProviderCall[];
}

/** Asks the provider stub of a run. */
export interface StubReader {
  /** The requests whose texts carry a mark. Throws NotTestable when the stub cannot be asked. */
  reached(mark: string): Promise<Reached>;
}

/** Runs tasks within a rate and a number of tasks at once. */
export type Throttle = <T>(task: () => Promise<T>) => Promise<T>;
