import type { Profile, SpendLevel } from './spend.ts';
import type { Cdp } from './cdp.ts';
import type { BrowserApi, JobApi, SessionApi, OperationApi } from './apis.ts';
import type { Send } from './request.ts';
import type { ControlClock, ControlFaults, StubReader, Throttle } from './controls.ts';
import type { JobKind } from './job-target.ts';
import type { ReplayToken } from './replay-token.ts';
import type { AnswerSchemas } from './answer-schemas.ts';
import type { Ledger, Budget, Resources } from './ledger.ts';
import type { Recorder } from './recorder.ts';
import type { Schemas } from './schemas.ts';
import type { Target } from './target.ts';

import type { TaskDeadlines } from './task-deadlines.ts';

/** What a scenario or check works with. */
export interface ScenarioContext {
  target: Target;
  /** The key, for requests that carry it in a wrong place; the recorder hides it. */
  apiKey: string;
  /** The key of another project; undefined when none was given. The recorder hides it too. */
  otherApiKey: string | undefined;
  /** Seed of the run: everything drawn comes from it. */
  seed: number;
  /** Word that no other run has; names are made with it (uniqueText). */
  stamp: string;
  /** Creates a unique value: a text that contains it can only come from this run. Every call returns another value. */
  secret: (purpose: string) => string;
  /** A mark for a page; another one on every call. */
  mark: () => string;
  /**
   * Time of the last answer that was seen, in ms since the run began. The only clock of scenarios and checks: deadlines are
   * counted in what was seen, so that a recording is judged as the run was.
   */
  nowMs: () => number;
  send: Send;
  resources: Resources;
  ledger: Ledger;
  /** Money for what is created; `things` and `sessions` use it by themselves. */
  budget: Budget;
  recorder: Recorder;
  schemas: Schemas;
  /** The whole documents, for what goes beyond the contract. */
  answers: AnswerSchemas;
  /** Any operation of the whole interface by its id. */
  operations: OperationApi;
  sessions: SessionApi;
  /** V2 tasks and V4 runs. */
  jobs: Readonly<Record<JobKind, JobApi>>;
  /** Standalone browsers (V4). */
  browsers: BrowserApi;
  /** Automation clients that drive a standalone browser. */
  cdp: Cdp;
  /** `full` when every cell of a table is wanted, `sample` when a few will do. */
  matrix: 'sample' | 'full';
  /** Moves the target's clock; undefined when the target file names no control address. */
  clock: ControlClock | undefined;
  /** True when nothing but GET may be sent. */
  readOnly: boolean;
  /** Makes sandboxes fail; undefined when the target file names no control address. */
  faults: ControlFaults | undefined;
  /** Tells what reached the model providers; undefined when the target file names no stub of them. */
  providerStub: StubReader | undefined;
  /** Maximum number of cases of one property. */
  propertyRuns: number;
  /** The matrix cell to send in a replay; undefined = all. */
  onlyCell: string | undefined;
  /** What is judged: `full` also what goes beyond the contract. */
  profile: Profile;
  /** Scripts that are drawn for each life cycle. */
  statefulRuns: number;
  /** The case that is judged again; undefined in a run of its own. */
  replayed: ReplayToken | undefined;
  /** Tasks that this scenario may dispatch, for one with `dispatches: 'cells'`; 0 otherwise. */
  taskBudget: number;
  /** Runs what keeps a session alive; waits until the target takes one more. */
  live: Throttle;
  /** Tasks of the run that did not end in time. */
  deadlines: TaskDeadlines;
  /** Waits without blocking; throws NotRun when the run ends early. */
  pause(ms: number): Promise<void>;
}

/** Drives a target once, so that many checks can judge the recording. */
export interface Scenario<T> {
  /** Kebab-case and unique. */
  name: string;
  /** One sentence for the plan: what is created. */
  creates: string;
  spend: SpendLevel;
  /** Tasks dispatched at most; `cells` = as many as the plan allows. */
  dispatches: number | 'cells';
  /** Cells that it would send without a limit; for `dispatches: 'cells'`. */
  cells?: number | ((run: { statefulRuns: number }) => number);
  /** True for one with `dispatches: 'cells'` that has something to send although no task is left for it. @defaultValue false */
  needsNoTask?: boolean;
  /** Counts as so many cells when the tasks of a limit are shared out. @defaultValue its cells */
  weight?: number;
  /** Browsers without an agent that it starts, for one with `spend: 'browser'`. @defaultValue 1 */
  browsers?: (matrix: ScenarioContext['matrix']) => number;
  /** True when it needs the key of another project. */
  needsOtherKey?: boolean;
  /** True when the target has to keep what was created. */
  stateful: boolean;
  /** True when it moves the target's clock or makes it fail: it then runs after everything else, alone. */
  movesClock?: boolean;
  /** Why this target cannot be driven so, known before anything is sent; undefined when it can. */
  unavailable?(target: Target): string | undefined;
  run(context: ScenarioContext): Promise<T>;
}

/** A scenario whose recording type does not matter. */
export type AnyScenario = Scenario<unknown>;
