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
  /** fast-check path of the smallest failing input, for replay. */
  path?: string;
  /** Shell lines that reproduce the finding, in order. @defaultValue derived from the recording */
  script?: string[];
  /** Seed of the property, if it differs from the seed of the run. */
  seed?: number;
}

/**
 * Message and details of an expectation. The message may be a function, which runs only when the expectation fails,
 * because thousands of expectations pass.
 */
export type Remark = Omit<Finding, 'message'> & { message: string | (() => string) };

/** Context in which a check judges. */
export interface CheckContext extends ScenarioContext {
  /** The generations of the requirement that the target offers. */
  generations: readonly Generation[];
  /** The single case to judge in a replay. */
  only: { cell?: string; path?: string } | undefined;
  /** Returns the recording of a scenario that the check has named in `needs`. */
  recording<T>(scenario: Scenario<T>): Promise<T>;
  /**
   * Returns true if this shard runs the scenario. A check over all exchanges judges without the scenarios of other
   * shards.
   */
  drives(scenario: AnyScenario): boolean;
  /** Judges one expectation. A check that ends without a call is not testable. */
  expect(holds: boolean, remark: Remark): void;
  /**
   * Sets the number of cells of the table, if it is larger than the number of judged cells. `rest` is the reason why
   * the other cells were not judged.
   */
  cellTotal(count: number, rest?: string): void;
  /** Ends the check as not testable, with a reason. */
  notTestable(reason: string): never;
  /** Ends the check as not testable, because the target refused a whole operation: the run is then incomplete. */
  blocked(reason: string): never;
  /** Ends the check as not run, with a reason. */
  notRun(reason: string): never;
}

/** Options of a check. */
export interface CheckOptions {
  /** Scenarios whose recordings the check judges; may depend on the target. */
  needs?: readonly AnyScenario[] | ((target: Target) => readonly AnyScenario[]);
  /** True if the check sends only GET in a read-only run. @defaultValue false */
  reads?: boolean;
  /**
   * `quiet`: runs after every check whose scenarios create resources, because it reads lists that must not change.
   * `last`: runs after every other check, because it judges all exchanges.
   * @defaultValue `normal`
   */
  phase?: Check['phase'];
  /**
   * Judges the exchanges so far before the end of the run, without sending a request; only its failures count.
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
