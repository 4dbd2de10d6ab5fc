import { testTasks } from '#generated/rules.ts';
import { limitOf } from '#contract/limit-of.ts';
import { type Problem, problem } from '#contract/problems.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import type { Interrupt } from '../http/interrupt.ts';
import type { Caller } from '#operations/common/caller.ts';
import { createTestRefusals } from './test-refusals.ts';

/** The statuses that valid requests can be made to be refused with. */
export const refusalStatuses = [429, 500, 503] as const;

/** What is refused the next times it is asked for. */
export interface Refusal {
  readonly status: (typeof refusalStatuses)[number];
  /** How often, at least 1. */
  readonly times: number;
  /** Operation such as `createRun`, in whatever generation. @defaultValue all of them */
  readonly operation?: string | null;
}

/** Refuses requests that nothing is wrong with, before they have an effect. */
export interface RefusalSwitch {
  readonly interrupt: Interrupt<Caller>;
  /** What is still to be refused, or null. */
  readonly refusal: Refusal | null;
  setRefusal(refusal: Refusal | null): void;
  /** Forgets what was set, and which test tasks were refused. */
  clear(): void;
}

/** What a switch is made of. */
interface RefusalOptions {
  /** Share of the valid requests that get an internal error, 0 to 1. @defaultValue 0 */
  readonly faultRate?: number;
  /** From 0 to 1, 1 excluded; asked where there is a fault rate. */
  readonly random?: () => number;
  readonly rules?: RuleBook;
}

/** A switch that is off, apart from the test tasks whose requests are refused and from the fault rate. */
export function createRefusalSwitch({
  faultRate = 0,
  random = () => 1,
  rules = defaultRules,
}: RefusalOptions = {}): RefusalSwitch {
  const tests = createTestRefusals();
  let left: Refusal | null = null;
  const next = (operation: string): Refusal['status'] | null => {
    if (left === null || (left.operation ?? operation) !== operation) return null;
    const { status, times } = left;
    left = times > 1 ? { ...left, times: times - 1 } : null;
    return status;
  };
  return {
    interrupt(valid) {
      const status = tests.statusOf(valid) ?? next(valid.route.id) ?? (faultRate > random() ? 500 : null);
      return status === null ? null : refusalOf(status, { requestId: valid.request.id, rules });
    },
    get refusal() {
      return left;
    },
    setRefusal(refusal) {
      left = refusal;
    },
    clear() {
      left = null;
      tests.clear();
    },
  };
}

function refusalOf(status: Refusal['status'], { requestId, rules }: { requestId: string; rules: RuleBook }): Problem {
  const seconds = String(testTasks.numbers.retryAfterSeconds);
  switch (status) {
    case 429:
      return problem('rate_limited', { limit: String(limitOf(rules, 'requestRate')), seconds });
    case 500:
      return problem('internal_error', { requestId });
    case 503:
      return problem('database_away', { seconds });
    default:
      return status satisfies never;
  }
}
