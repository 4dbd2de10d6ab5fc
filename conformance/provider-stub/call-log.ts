import type { ProviderCall } from './provider-call.ts';

/** What reached a stub, by the marks in it. */
export interface CallLog {
  /** Place that the next call gets, from 0. */
  next(): number;
  add(call: ProviderCall, marks: readonly string[]): void;
  /** Calls with a mark, in order. */
  of(mark: string): readonly ProviderCall[];
  /** Calls in all, also those without a mark. */
  count(): number;
}

/** Calls that are kept for one mark; an agent that goes on and on shows nothing new. */
const keptMax = 12;

/** An empty log. */
export function createCallLog(): CallLog {
  const byMark = new Map<string, ProviderCall[]>();
  let count = 0;
  return {
    next: () => {
      count += 1;
      return count - 1;
    },
    add: (call, marks) => {
      for (const mark of marks) {
        const calls = byMark.get(mark) ?? [];
        if (calls.length < keptMax) byMark.set(mark, [...calls, call]);
      }
    },
    of: (mark) => byMark.get(mark) ?? [],
    count: () => count,
  };
}
