import { type Decimal, compareDecimals, toDecimal, formatDecimal, sumDecimals } from '../core/decimal.ts';
import { runningSum } from '../ledger/budget.ts';
import type { Ledger, LedgerEntry } from '../core/ledger.ts';
import { NotRun } from '../core/outcome.ts';
import type { Recorder } from '../core/recorder.ts';
import type { Judgement } from './judge.ts';
import { costLimit, type RunSettings } from './settings.ts';
import type { RunEnd } from '../core/report.ts';

/** Ends a run early at a limit or an interrupt. */
export interface RunWatch {
  /** Signal of the run's early end, aborted with a NotRun that contains the reason. */
  signal: AbortSignal;
  /**
   * Counts a judgement if it is a violation. Ends the run when the count reaches `maxFailures`. Callers do not pass
   * failures that `known` lists.
   */
  count(judgement: Judgement): void;
  /**
   * Watches the costs in a ledger, and ends the run when their sum exceeds the cost limit. Reservations cannot find a
   * target that charges more than its ceilings; this watch does.
   */
  follow(ledger: Ledger): void;
  /** Ends the run because it could exceed the cost limit. */
  costLimit(reason: string): void;
  /** Ends the run because all its responses together exceed the amount of data that a run stores. */
  answerLimit(reason: string): void;
  /** Ends the run because its target can no longer be reached. */
  unreachable(reason: string): void;
  /** Ends the run because its target serves no request any more. */
  unserved(reason: string): void;
  ended(): RunEnd;
  /** Stops the timer and pending scenarios; does not change the reason of the end. */
  close(): void;
}

/** Watches the limits of one run. */
export function watchRun(settings: RunSettings, recorder: Pick<Recorder, 'addEnd'>): RunWatch {
  const controller = new AbortController();
  let ended: RunEnd = 'complete';
  let failures = 0;
  const limit = costLimit(settings);

  function end(why: RunEnd, reason: string): void {
    if (controller.signal.aborted) return;
    ended = why;
    controller.abort(new NotRun(reason));
  }

  // Records the end of the run, which no response shows.
  function endFromOutside(why: RunEnd, reason: string): void {
    if (!controller.signal.aborted) recorder.addEnd({ why, reason });
    end(why, reason);
  }

  settings.environment.onEnd?.(endFromOutside);
  const onInterrupt = (): void => endFromOutside('interrupted', 'the run was interrupted');
  if (settings.signal?.aborted === true) onInterrupt();
  settings.signal?.addEventListener('abort', onInterrupt, { once: true });
  const timer = startTimer(settings.timeLimitMs, () =>
    endFromOutside('timeLimit', `the time limit of ${settings.timeLimitMs} ms was reached`),
  );
  return {
    signal: controller.signal,
    ended: () => ended,
    count: ({ verdict }) => {
      failures += verdict === 'violation' ? 1 : 0;
      if (failures >= settings.maxFailures) end('maxFailures', `${failures} requirements had failed (--max-failures)`);
    },
    follow: (ledger) => {
      // Without a limit, the watch ends no run; an entry without a cost does not change the sum.
      if (limit === undefined) return;
      const spent = runningSum(ledger, getCost);
      ledger.onChange(() => {
        if (compareDecimals(spent(), limit) > 0)
          end('costLimit', `${formatDecimal(spent())} US dollars were spent (--max-cost-usd)`);
      });
    },
    costLimit: (reason) => end('costLimit', reason),
    answerLimit: (reason) => endFromOutside('answerLimit', reason),
    unreachable: (reason) => end('unreachable', reason),
    unserved: (reason) => endFromOutside('unreachable', reason),
    close: () => {
      clearTimeout(timer);
      controller.abort(new NotRun('the run had ended'));
      settings.signal?.removeEventListener('abort', onInterrupt);
    },
  };
}

/** Returns the sum of the last known costs in a ledger, decimal string in US dollars. */
export function spentUsd(ledger: Ledger): string {
  return formatDecimal(sumDecimals(ledger.entries().map(getCost)));
}

/** Returns the last known cost of an entry. */
function getCost({ costUsd }: LedgerEntry): Decimal {
  return toDecimal(costUsd);
}

function startTimer(ms: number, onTime: () => void): NodeJS.Timeout | undefined {
  return Number.isFinite(ms) ? setTimeout(onTime, ms) : undefined;
}
