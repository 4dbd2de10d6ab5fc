import type { RequirementId } from '#generated/requirements.ts';
import type { Exchange } from './exchange.ts';
import type { ScenarioContext, Scenario, AnyScenario } from './scenario.ts';
import type { Generation, Target } from './target.ts';

/** One thing that does not hold. */
export interface Finding {
  /** What was found and what was expected. */
  message: string;
  exchange?: Exchange | undefined;
  /** Smallest input that shows it, as text. */
  counterexample?: string;
  /** JSON pointer of the offending member in the body of the answer (`/status`, `/items/0/id`), when one is at fault. */
  member?: string;
  /** Key of the matrix cell. */
  cell?: string;
  /** fast-check path of the smallest input, for replay. */
  path?: string;
  /** Shell lines that lead to it, in order; made from the recording where it is absent. */
  script?: string[];
  /** Seed of the property, when it is not the run's. */
  seed?: number;
}

/** What is said of something that is judged. The message may be made when it is needed: thousands of answers hold. */
export type Remark = Omit<Finding, 'message'> & { message: string | (() => string) };

/** What a check judges with. */
export interface CheckContext extends ScenarioContext {
  /** Generations that the target offers among those of the requirement. */
  generations: readonly Generation[];
  /** Only this case is wanted (replay). */
  only: { cell?: string; path?: string } | undefined;
  /** The recording of a scenario that the check has named in `needs`. */
  recording<T>(scenario: Scenario<T>): Promise<T>;
  /** False for a scenario that another shard runs; a check over all exchanges then judges without it. */
  drives(scenario: AnyScenario): boolean;
  /** Judges one thing. Every call counts: a check that judges nothing is a fault of the suite. */
  expect(holds: boolean, remark: Remark): void;
  /** How many cells the table has, when it is larger than the number that was judged, and why the rest was not. */
  cellTotal(count: number, rest?: string): void;
  /** Ends the check as not testable. */
  notTestable(reason: string): never;
  /** Ends the check: it was left out on purpose. */
  notRun(reason: string): never;
}

/** How a check runs. */
export interface CheckOptions {
  /** Scenarios whose recordings it judges; may depend on the target. */
  needs?: readonly AnyScenario[] | ((target: Target) => readonly AnyScenario[]);
  /** True when it sends nothing but GET in a run that only reads. @defaultValue false */
  reads?: boolean;
  /**
   * `quiet`: after every check whose scenarios make something, because it reads lists that have to stand still; `last`: after
   * every other check, because it judges all that was seen. @defaultValue `normal`
   */
  phase?: Check['phase'];
  /**
   * What a check that judges all that was seen can say before the end of the run, without sending anything: only what it finds wrong then
   * counts. @defaultValue nothing
   */
  early?: Check['judge'];
}

/** One check: the judgement of one requirement. */
export interface Check {
  id: RequirementId;
  needs: (target: Target) => readonly AnyScenario[];
  phase: 'normal' | 'quiet' | 'last';
  reads: boolean;
  judge: (t: CheckContext) => Promise<void> | void;
  early: Check['judge'] | undefined;
}

/** Binds a judgement to a requirement; the title comes from the registry. */
export function check(id: RequirementId, options: CheckOptions, judge: Check['judge']): Check {
  const { needs = [], phase = 'normal', reads = false, early } = options;
  return { id, needs: typeof needs === 'function' ? needs : () => needs, phase, reads, judge, early };
}

/** A check that only looks at what was seen: at the end of the run, or at any time before. */
export function law(id: RequirementId, judge: Check['judge'], options: Pick<CheckOptions, 'needs'> = {}): Check {
  return check(id, { ...options, phase: 'last', early: judge }, judge);
}
