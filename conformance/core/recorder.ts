import type { RunEnd } from './report.ts';
import type { CdpOutcome } from './cdp.ts';
import type { Exchange } from './exchange.ts';

/** Reason and time of an end from outside the run: a signal, or the time limit. */
export interface ExternalEnd {
  why: RunEnd;
  reason: string;
}

/** What happened, in the order in which it happened: an answer, the outcome of a CDP call, or the end of the run. */
export type RecordedEvent =
  | { kind: 'exchange'; exchange: Exchange }
  | { kind: 'cdp'; outcome: CdpOutcome }
  | { kind: 'end'; end: ExternalEnd };

/** Keeps what happened in a run in the order in which the answers arrived. */
export interface Recorder {
  add(exchange: Omit<Exchange, 'index'>): Exchange;
  /** Every exchange. */
  all(): readonly Exchange[];
  addCdp(outcome: CdpOutcome): void;
  addEnd(end: ExternalEnd): void;
  happenings(): readonly RecordedEvent[];
  /** Keeps a value that was made up as a secret, by the name under which it was asked for. */
  addSecret(name: string, value: string): void;
  /** Values that were made up as secrets, by name. */
  secrets(): Readonly<Record<string, string>>;
}

/** An empty recorder. */
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
