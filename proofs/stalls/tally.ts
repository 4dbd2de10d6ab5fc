import type { Poll } from './poller.ts';
import type { Measurement } from './watched-service.ts';

/** No input may block the event loop for longer. */
export const blockedMsMax = 50;
/** No input may add more memory. */
export const grownMibMax = 64;
/** Answers to a client of another project, 99th percentile. */
export const pollerMsMax = 100;

/** An input that did too much. */
export interface Offender {
  readonly entry: string;
  /** Its place among the inputs of its entry point, from 0. */
  readonly number: number;
  readonly result: string;
  /** Null when the service did not react any more. */
  readonly measured: Measurement | null;
}

/** What the inputs of one entry point did. */
export interface Tally {
  readonly entry: string;
  readonly sent: number;
  /** What came of them, and how often. */
  readonly results: ReadonlyMap<string, number>;
  readonly worstMs: number;
  /** What a processor worked for the main thread at most without a turn of the event loop, in milliseconds. */
  readonly worstBusyMs: number;
  readonly worstMib: number;
  /** The event loop's own delay, 99th percentile in milliseconds. */
  readonly delayMs: number;
  readonly offenders: readonly Offender[];
  /** Polls of another project. */
  readonly polls: readonly Poll[];
}

/** Whether an input is beyond what one may do. */
export function isOffender({ blockedMs, grownMib }: Pick<Measurement, 'blockedMs' | 'grownMib'>): boolean {
  return blockedMs > blockedMsMax || grownMib > grownMibMax;
}

/** The 99th percentile of how long polls took, in milliseconds: by the clock, and without the time in which no processor was free. */
export function pollerFigures(polls: readonly Poll[]): { readonly wallMs: number; readonly ownMs: number } {
  const p99 = (values: readonly number[]): number => {
    const sorted = values.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
  };
  return { wallMs: p99(polls.map(({ ms }) => ms)), ownMs: p99(polls.map(({ ms, waitedMs }) => ms - waitedMs)) };
}

/** Says what an offender did, and how it is sent again. */
export function offenderLine({ entry, number, result, measured }: Offender, seed: number): string {
  const what =
    measured === null
      ? 'the service did not react any more'
      : `${measured.blockedMs.toFixed(0)} ms (${measured.busyMs.toFixed(0)} ms of a processor), ${measured.grownMib.toFixed(0)} MiB`;
  return `${entry}, input ${number}: ${what} (${result}): npm run long -- stalls --seed ${seed} --only '${entry}' --input ${number}`;
}
