import type { RunEnd } from './report.ts';
import type { CdpOutcome } from './cdp.ts';
import type { Exchange } from './exchange.ts';

/** An interruption from outside the run, such as a signal or the time limit: its kind, and the reason as text. */
export interface ExternalEnd {
  why: RunEnd;
  reason: string;
}

/** One event of a run, in order: a response, the outcome of a CDP call, or the end of the run. */
export type RecordedEvent =
  | { kind: 'exchange'; exchange: Exchange }
  | { kind: 'cdp'; outcome: CdpOutcome }
  | { kind: 'end'; end: ExternalEnd };

/** Records the events of a run in the order in which the responses arrived. */
export interface Recorder {
  add(exchange: Omit<Exchange, 'index'>): Exchange;
  /** Returns every exchange. */
  all(): readonly Exchange[];
  addCdp(outcome: CdpOutcome): void;
  addEnd(end: ExternalEnd): void;
  happenings(): readonly RecordedEvent[];
  /** Stores a generated secret under its name. */
  addSecret(name: string, value: string): void;
  /** Returns the generated secrets by name. */
  secrets(): Readonly<Record<string, string>>;
}

/** Creates an empty recorder. */
export function createRecorder(): Recorder {
  const exchanges: Exchange[] = [];
  const happenings: RecordedEvent[] = [];
  const secrets: Record<string, string> = {};
  return {
    add: (exchange) => {
      const kept = { ...exchange, index: exchanges.length };
      exchanges.push(kept);
      happenings.push({ kind: 'exchange', exchange: kept });
      return kept;
    },
    all: () => exchanges,
    addCdp: (outcome) => {
      happenings.push({ kind: 'cdp', outcome });
    },
    addEnd: (end) => {
      happenings.push({ kind: 'end', end });
    },
    happenings: () => happenings,
    addSecret: (name, value) => {
      secrets[name] = value;
    },
    secrets: () => secrets,
  };
}
