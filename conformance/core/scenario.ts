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

/**
 * Form of an API key, compared with `keyPrefix` of the target file: the prefix and a secret part, the prefix alone, or
 * another beginning.
 */
export type KeyForm = 'complete' | 'prefixOnly' | 'otherBeginning';

/** The forms of the API keys of a run; without `otherApiKey` if the run has one key. */
export interface KeyForms {
  apiKey: KeyForm;
  otherApiKey?: KeyForm;
}

/** Context in which a scenario or check works. */
export interface ScenarioContext {
  target: Target;
  /** The API key, for requests that carry it in a wrong place; the recorder redacts it. */
  apiKey: string;
  /** The key of another project; undefined if not configured. The recorder redacts it as well. */
  otherApiKey: string | undefined;
  /** The forms of the keys, which a recording keeps; undefined if the target file names no `keyPrefix`. */
  keyForms: KeyForms | undefined;
  /** Seed of the run: source of all random choices. */
  seed: number;
  /** Tag that is unique to the run. Names of created resources contain it (uniqueText). */
  stamp: string;
  /** Creates a unique secret value for a purpose. Every call returns a different value. */
  secret: (purpose: string) => string;
  /**
   * Creates a mark by which a client finds its page: the mark becomes part of the page's URL. Every call returns a
   * different mark.
   */
  mark: () => string;
  /**
   * Returns the time of the last response, in ms since the run began. Scenarios and checks use no other clock, so that
   * the playback of a recording leads to the same verdicts as the run.
   */
  nowMs: () => number;
  send: Send;
  resources: Resources;
  ledger: Ledger;
  /** Budget of the run. `resources` and `sessions` reserve the cost of each resource before they create it. */
  budget: Budget;
  recorder: Recorder;
  schemas: Schemas;
  /** The complete documents, for checks beyond the contract. */
  answers: AnswerSchemas;
  /** Every documented operation by its id. */
  operations: OperationApi;
  sessions: SessionApi;
  /** V2 tasks and V4 runs. */
  jobs: Readonly<Record<JobKind, JobApi>>;
  /** Standalone browsers (V4). */
  browsers: BrowserApi;
  /** Automation clients for a standalone browser. */
  cdp: Cdp;
  /** `full` sends every cell of a table, `sample` sends a selection. */
  matrix: 'sample' | 'full';
  /**
   * Moves the target's clock, or waits in real time in a run with `--patient`. Undefined if the target file names no
   * control URL and the run has no `--patient`.
   */
  clock: ControlClock | undefined;
  /** True if only GET may be sent. */
  readOnly: boolean;
  /**
   * Injects faults: makes starts of sandboxes (the environments of sessions) fail, and ends running sandboxes.
   * Undefined if the target file names no control URL.
   */
  faults: ControlFaults | undefined;
  /** Reads the requests to the model providers; undefined if the target file names no provider stub. */
  providerStub: StubReader | undefined;
  /** Maximum number of cases of one property. */
  propertyRuns: number;
  /** Key of the matrix cell that a replay sends again; undefined = every cell. */
  onlyCell: string | undefined;
  /** Scope of the judgement: `full` includes rules beyond the contract. */
  profile: Profile;
  /** Number of random request sequences for each kind of resource in the stateful scenarios. */
  statefulRuns: number;
  /** The case of a replay; undefined in a normal run. */
  replayed: ReplayToken | undefined;
  /**
   * Maximum number of tasks that this scenario may dispatch if its `dispatches` is `cells`; 0 for any other scenario.
   */
  taskBudget: number;
  /** Runs work that keeps a session alive, within the concurrency limit of the target. */
  live: Throttle;
  /** Counter of tasks that did not end in time. */
  deadlines: TaskDeadlines;
  /** Waits without blocking; throws NotRun if the run ends early. */
  pause(ms: number): Promise<void>;
}

/** A sequence of requests to a target. It is executed once per run, and many checks judge its recording. */
export interface Scenario<T> {
  /** Unique name in kebab case. */
  name: string;
  /** Text for the plan of the run: the resources that the scenario creates, in one sentence. */
  creates: string;
  spend: SpendLevel;
  /** Maximum number of tasks that the scenario dispatches; `cells` = as many as the plan of the run allows. */
  dispatches: number | 'cells';
  /** Number of cells that the scenario would send if no limit of tasks applied; only for `dispatches: 'cells'`. */
  cells?: number | ((run: { statefulRuns: number }) => number);
  /** True if the scenario also runs with a task budget of 0; only for `dispatches: 'cells'`. @defaultValue false */
  needsNoTask?: boolean;
  /**
   * Share of this scenario, in cells, when the plan divides a limit of tasks between scenarios.
   * @defaultValue `cells`
   */
  weight?: number;
  /**
   * Number of browsers without an agent that the scenario starts. @defaultValue 1 with `spend: 'browser'`, otherwise 0
   */
  browsers?: (matrix: ScenarioContext['matrix']) => number;
  /**
   * Hours for which the scenario's browsers are charged in advance, beyond one hour for each browser. @defaultValue 0
   */
  furtherHours?: number;
  /** True if the scenario needs the key of another project. */
  needsOtherKey?: boolean;
  /** True if the target must store the created resources. */
  stateful: boolean;
  /** True if the scenario moves the target's clock or injects faults. Such a scenario runs last and alone. */
  movesClock?: boolean;
  /**
   * Returns how long a run with `--patient` waits, in ms, if the target file names no control URL. Absent if the
   * scenario does not wait, or always needs a control URL.
   */
  waitsMs?(target: Target): number;
  /** Returns the reason why this target cannot run the scenario, before any request; undefined if it can. */
  unavailable?(target: Target): string | undefined;
  run(context: ScenarioContext): Promise<T>;
}

/** A scenario whose recording type does not matter. */
export type AnyScenario = Scenario<unknown>;
