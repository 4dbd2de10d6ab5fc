import type { BrowserHost } from '#browsers/host.ts';
import { type Problem, problem } from '#contract/problems.ts';
import { defaultRules, getLimit, type RuleBook } from '#contract/rule-book.ts';
import { testTasks } from '#generated/rules.ts';
import { isJsonObject } from '#lib/json.ts';
import type { RequestContext } from '#operations/common/request-context.ts';
import { readTestTask } from '#planner/index.ts';
import type { Interrupt, ValidRequest } from '../http/hooks.ts';

/** A browser host with injectable start failures. */
export interface FaultSwitch {
  readonly host: BrowserHost;
  readonly sandboxStart: 'fail' | null;
  setSandboxStart(fault: 'fail' | null): void;
}

/**
 * Wraps a browser host so that tests can make its launches fail. Without an injected fault the host works as before.
 */
export function createFaultSwitch(host: BrowserHost): FaultSwitch {
  let sandboxStart: 'fail' | null = null;
  return {
    get sandboxStart() {
      return sandboxStart;
    },
    setSandboxStart(fault) {
      sandboxStart = fault;
    },
    host: {
      ...host,
      launch: (options) =>
        sandboxStart === 'fail'
          ? Promise.reject(new Error('injected fault: the sandbox does not start'))
          : host.launch(options),
    },
  };
}

/** Statuses that can be injected into responses to valid requests. */
export const refusalStatuses = [429, 500, 503] as const;

/** An injected refusal of the next matching requests. */
export interface Refusal {
  readonly status: (typeof refusalStatuses)[number];
  /** Number of requests to refuse, at least 1. */
  readonly times: number;
  /** Operation id such as `createRun`, of any API version. @defaultValue all operations */
  readonly operation?: string | null;
}

/** Switch that makes the service refuse valid requests before they have an effect. */
export interface RefusalSwitch {
  readonly interrupt: Interrupt<RequestContext>;
  /** The refusal that is still pending, or null. */
  readonly refusal: Refusal | null;
  setRefusal(refusal: Refusal | null): void;
  /** Removes the pending refusal and the counts of refused test tasks. */
  clear(): void;
}

/** Options of {@link createRefusalSwitch}. */
interface RefusalOptions {
  /** Share of the valid requests that get an internal error, 0 to 1. @defaultValue 0 */
  readonly faultRate?: number;
  /** Returns a random number of at least 0 and below 1. Required with a fault rate. */
  readonly random?: () => number;
  readonly rules?: RuleBook;
}

/** Creates a switch without a pending refusal. Test tasks and the fault rate still refuse requests. */
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
      const status = tests.nextStatus(valid) ?? next(valid.route.id) ?? (faultRate > random() ? 500 : null);
      return status === null ? null : injectedProblem(status, { requestId: valid.request.id, rules });
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

function injectedProblem(
  status: Refusal['status'],
  { requestId, rules }: { requestId: string; rules: RuleBook },
): Problem {
  const seconds = String(testTasks.numbers.retryAfterSeconds);
  switch (status) {
    case 429:
      return problem('rate_limited', { limit: String(getLimit(rules, 'requestRate')), seconds });
    case 500:
      return problem('internal_error', { requestId });
    case 503:
      return problem('database_away', { seconds });
    default:
      return status satisfies never;
  }
}

/** Counters that refuse requests with certain test tasks a number of times, before these requests have an effect. */
interface TestRefusals {
  /**
   * Counts a request whose task is a test task with refusals. Returns the status with which the request is refused;
   * null for an accepted request and for any other task.
   */
  nextStatus(valid: Pick<ValidRequest<RequestContext>, 'parsed' | 'caller'>): 429 | 500 | null;
  clear(): void;
}

const { refusals, refusalsMax } = testTasks.numbers;

/**
 * Status and default number of refusals of each test task that is refused; a parameter of the task can set another
 * number.
 */
const refused = {
  'rate-limited': { status: 429, times: refusals },
  'server-error': { status: 500, times: 1 },
} as const;

/**
 * Creates counters of refusals by project, API version and task text. After the last refusal of a task, the next
 * request with this task is accepted and its count starts again.
 */
function createTestRefusals(): TestRefusals {
  const counts = new Map<string, number>();
  return {
    nextStatus({ parsed, caller }) {
      const found = refusalIn(readTaskText(parsed.body));
      if (found === null) return null;
      const name = JSON.stringify([caller.scope, found.goal]);
      const count = counts.get(name) ?? 0;
      if (count >= found.times) {
        counts.delete(name);
        return null;
      }
      counts.set(name, count + 1);
      return found.status;
    },
    clear: () => counts.clear(),
  };
}

function refusalIn(goal: string | null): { goal: string; status: 429 | 500; times: number } | null {
  const read = goal === null ? null : readTestTask(goal);
  if (goal === null || read === null || (read.name !== 'rate-limited' && read.name !== 'server-error')) return null;
  const { status, times } = refused[read.name];
  const asked = read.parameter === '' ? times : Number(read.parameter);
  return { goal, status, times: Number.isInteger(asked) && asked >= 1 ? Math.min(asked, refusalsMax) : times };
}

/** Returns the task text in the body of a request that creates a task, session, run or message; null without one. */
function readTaskText(body: unknown): string | null {
  if (!isJsonObject(body)) return null;
  const goal = body['task'] ?? body['text'];
  return typeof goal === 'string' ? goal : null;
}
