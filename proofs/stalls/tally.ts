import type { Poll } from './poller.ts';
import type { Measurement } from './watched-service.ts';

/** Maximum time for which one input may block the event loop, in milliseconds. */
export const blockedMsMax = 50;
/** Limit of additional memory per input, in MiB. */
export const grownMibMax = 64;
/**
 * Limit of the 99th percentile of response times for a client of another project, in milliseconds, without the time
 * spent waiting for a processor.
 */
export const pollerMsMax = 100;

/** An input that exceeded a limit, or to which the service did not respond. */
export interface Offender {
  readonly entry: string;
  /** Index of the input among the inputs of its entry point, from 0. */
  readonly number: number;
  readonly result: string;
  /** Measurement of the input; null when the service did not respond. */
  readonly measured: Measurement | null;
}

/** Results of the inputs of one entry point. */
export interface Tally {
  readonly entry: string;
  readonly sent: number;
  /** Number of inputs by result. */
  readonly results: ReadonlyMap<string, number>;
  readonly worstMs: number;
  /** Longest processor time of the main thread within one event-loop tick, in milliseconds. */
  readonly worstBusyMs: number;
  readonly worstMib: number;
  /** 99th percentile of the event loop's delay in milliseconds. */
  readonly delayMs: number;
  readonly offenders: readonly Offender[];
  /** Polls by the client of another project. */
  readonly polls: readonly Poll[];
}

/** Returns whether a measurement exceeds a limit. */
export function isOffender({ blockedMs, grownMib }: Pick<Measurement, 'blockedMs' | 'grownMib'>): boolean {
  return blockedMs > blockedMsMax || grownMib > grownMibMax;
}

/**
 * Returns the 99th percentile of response times in milliseconds: as wall time, and without the time spent waiting for
 * a processor.
 */
export function pollerFigures(polls: readonly Poll[]): { readonly wallMs: number; readonly ownMs: number } {
  const p99 = (values: readonly number[]): number => {
    const sorted = values.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
  };
  return { wallMs: p99(polls.map(({ ms }) => ms)), ownMs: p99(polls.map(({ ms, waitedMs }) => ms - waitedMs)) };
}

/** Returns a line that describes an input above a limit, with the command that sends it again. */
export function offenderLine({ entry, number, result, measured }: Offender, seed: number): string {
  const what =
    measured === null
      ? 'the service did not react any more'
      : `${measured.blockedMs.toFixed(0)} ms (${measured.busyMs.toFixed(0)} ms of a processor), ${measured.grownMib.toFixed(0)} MiB`;
  return `${entry}, input ${number}: ${what} (${result}): npm run long -- stalls --seed ${seed} --only '${entry}' --input ${number}`;
}
