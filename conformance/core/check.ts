import type { RequirementId } from '#generated/requirements.ts';
import type { Exchange } from './exchange.ts';
import type { ScenarioContext, Scenario, AnyScenario } from './scenario.ts';
import type { Generation, Target } from './target.ts';

/** One failed expectation. */
export interface Finding {
  /** The found value and the expected value. */
  message: string;
  exchange?: Exchange | undefined;
  /** Smallest failing input, as text. */
  counterexample?: string;
  /**
   * JSON pointer of the offending member in the response body (`/status`, `/items/0/id`), if one member is at fault.
   */
  member?: string;
  /** Key of the matrix cell that the finding is about. */
  cell?: string;
  /** Path in fast-check's sense that leads to the smallest failing input; a replay passes it to fast-check. */
  path?: string;
  /**
   * Shell lines that reproduce the finding, in order.
   * @defaultValue lines that the report derives from the recorded exchanges
   */
  script?: string[];
  /** Seed of the failed property test, if it differs from the seed of the run. */
  seed?: number;
}

/**
 * Message and details of an expectation. The message may be a function, which runs only when the expectation fails,
 * because thousands of expectations pass.
 */
export type Remark = Omit<Finding, 'message'> & { message: string | (() => string) };

/** Context in which a check judges. */
export interface CheckContext extends ScenarioContext {
  /** The generations to which the requirement applies and which the target offers. */
  generations: readonly Generation[];
  /** The single case to judge in a replay. */
  only: { cell?: string; path?: string } | undefined;
  /** Returns the recording of a scenario that the check has named in `needs`. */
  recording<T>(scenario: Scenario<T>): Promise<T>;
  /**
   * Returns true if this shard of the run executes the scenario. Other shards execute the other scenarios, and a check
   * over all exchanges then judges without them.
   */
  drives(scenario: AnyScenario): boolean;
  /** Judges one expectation. A check that ends without having called this function is not testable. */
  expect(holds: boolean, remark: Remark): void;
  /**
   * Sets the number of cells in the table of the requirement, if the check has judged fewer. `rest` is the reason why
   * the remaining cells were not judged.
   */
  cellTotal(count: number, rest?: string): void;
  /** Ends the check as not testable, with a reason. */
  notTestable(reason: string): never;
  /**
   * Ends the check as not testable, because the responses of the target prevent the judgement of a whole operation,
   * such as 402 to every request. The run then counts as incomplete.
   */
  blocked(reason: string): never;
  /** Ends the check as not run, with a reason. */
  notRun(reason: string): never;
}

/** Options of a check. */
export interface CheckOptions {
  /** Scenarios whose recordings the check judges; may depend on the target. */
  needs?: readonly AnyScenario[] | ((target: Target) => readonly AnyScenario[]);
  /**
   * True if a read-only run may execute the check, because the check then sends only GET requests.
   * @defaultValue false
   */
  reads?: boolean;
  /**
   * `quiet`: runs after every check whose scenarios create resources, because it reads lists that must not change.
   * `last`: runs after every other check, because it judges all exchanges.
   * @defaultValue `normal`
   */
  phase?: Check['phase'];
  /**
   * Judges the exchanges recorded so far, before the end of the run, and sends no request. A failure is final; any
   * other result is discarded.
   * @defaultValue no early judgement
   */
  early?: Check['judge'];
}

/** One check: judges one requirement. */
export interface Check {
  id: RequirementId;
  needs: (target: Target) => readonly AnyScenario[];
  phase: 'normal' | 'quiet' | 'last';
  reads: boolean;
  judge: (t: CheckContext) => Promise<void> | void;
  early: Check['judge'] | undefined;
}

/** Creates the check of a requirement; the title comes from the registry. */
export function check(id: RequirementId, options: CheckOptions, judge: Check['judge']): Check {
  const { needs = [], phase = 'normal', reads = false, early } = options;
  return { id, needs: typeof needs === 'function' ? needs : () => needs, phase, reads, judge, early };
}

/**
 * Creates a check that judges only recorded exchanges. The check runs at the end of the run. It may also run earlier,
 * on the exchanges so far.
 */
export function law(id: RequirementId, judge: Check['judge'], options: Pick<CheckOptions, 'needs'> = {}): Check {
  return check(id, { ...options, phase: 'last', early: judge }, judge);
}
