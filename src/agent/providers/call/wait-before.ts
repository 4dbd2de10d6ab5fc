import type { RuleBook } from '#contract/rule-book.ts';
import type { Fault } from './fault.ts';

/** What has been tried so far. */
export interface Tried {
  readonly fault: Fault;
  /** Attempts that were made, at least 1. */
  readonly attempts: number;
}

/**
 * Milliseconds to wait before the next attempt; null where the call has failed: there have been attempts enough, the provider charged
 * for this one, or it wants to be left alone for too long.
 * @param random - at least 0, less than 1
 */
export function waitBefore(
  rules: RuleBook['providers'],
  { fault, attempts }: Tried,
  random: () => number,
): number | null {
  const { calls, faults } = rules;
  const tries = faults.find(({ kind }) => kind === fault.kind)?.tries ?? 1;
  // What was charged is booked once, with its call; a second attempt would be charged on top of what was reserved for one.
  if (attempts >= tries || fault.usage !== null) return null;
  if (fault.waitMs !== null) return fault.waitMs <= calls.namedWaitMsMax ? fault.waitMs : null;
  const most = Math.min(calls.firstWaitMs * 2 ** (attempts - 1), calls.longestWaitMs);
  return Math.round(most / 2 + (most / 2) * random());
}
