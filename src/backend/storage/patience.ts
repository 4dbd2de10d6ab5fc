import { AsyncLocalStorage } from 'node:async_hooks';

/** How long whoever asks a database can wait for it when it is away. Work that nobody waits for has all the time. */
export interface Patience {
  /**
   * Work that is done while somebody waits for its answer, and what it sets going: it waits `ms` milliseconds at most, until it has written
   * something, which is then to be brought to its end. Once it `isAnswered` nobody waits any more.
   */
  forAnswer(ms: number, isAnswered: () => boolean, work: () => void): void;
  /** Work that goes on behind whatever asked for it. */
  forWork<Result>(work: () => Result): Result;
  /** Milliseconds that are left for what runs now; infinite where nobody waits. */
  leftMs(): number;
  /** What runs now has written something. */
  wrote(): void;
  /** From now on nobody waits longer than that. */
  end(withinMs: number): void;
}

interface Waiting {
  readonly untilMs: number;
  readonly isAnswered: () => boolean;
  hasWritten: boolean;
}

/** A patience of its own: infinite, until {@link Patience.end}. Its time is the machine's: the database knows no other. */
export function createPatience(): Patience {
  const storage = new AsyncLocalStorage<Waiting | undefined>();
  let endMs = Number.POSITIVE_INFINITY;
  return {
    forAnswer(ms, isAnswered, work) {
      storage.run({ untilMs: performance.now() + ms, isAnswered, hasWritten: false }, work);
    },
    forWork: (work) => storage.run(undefined, work),
    leftMs() {
      const waiting = storage.getStore();
      const isBound = waiting !== undefined && !waiting.hasWritten && !waiting.isAnswered();
      const untilMs = isBound ? Math.min(waiting.untilMs, endMs) : endMs;
      return Math.max(untilMs - performance.now(), 0);
    },
    wrote() {
      const waiting = storage.getStore();
      if (waiting !== undefined) waiting.hasWritten = true;
    },
    end(withinMs) {
      endMs = Math.min(endMs, performance.now() + withinMs);
    },
  };
}
