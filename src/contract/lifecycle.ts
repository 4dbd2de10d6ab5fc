import {
  type BrowserStatus,
  browserStatus,
  type RunState,
  runState,
  type RunStatus,
  runStatus,
  type SessionStatus,
  sessionStatus,
  type TaskStatus,
  taskStatus,
} from '#generated/states.ts';
import type { RuleBook } from './rule-book.ts';

/** A state transition of a session, from any of the states `from` to the state `to`. */
export interface Transition {
  readonly from: readonly SessionStatus[];
  readonly to: SessionStatus;
}

/**
 * Selects a transition of a session in the lifecycle table by its id, and by its condition if several transitions share
 * the id.
 */
export interface TransitionQuery {
  readonly id: string;
  /** Exact text of the `condition` column; required only where several rows share one id. */
  readonly condition?: string;
  /**
   * State before the transition. If given, only rows from this state are considered, because the new state may depend
   * on it.
   */
  readonly from?: SessionStatus;
}

/**
 * Returns the selected transition of a session from the lifecycle table. Instead of rows with `from: "*"`, uses the
 * rows of `decisions` with the same id, which name the states (contract section 3; design section 8). Throws if no row
 * matches, which is a programming error.
 */
export function findTransition(lifecycle: RuleBook['lifecycle'], query: TransitionQuery): Transition {
  const machine = sessionMachine(lifecycle);
  const written = (machine?.transitions ?? [])
    .filter((row) => row.id === query.id && (query.condition === undefined || row.condition === query.condition))
    .map(({ from, to }) => ({ from, to }));
  const decided = (machine?.decisions ?? []).filter((row) => row.id === query.id).map(({ from, to }) => ({ from, to }));
  const rows = [...written, ...decided].filter((row) => row.from !== '*' && (query.from ?? row.from) === row.from);
  const [to] = rows.map((row) => row.to).filter(isSessionStatus);
  if (to === undefined) throw new Error(`lifecycle: no move ${JSON.stringify(query)}`);
  return { from: rows.map(({ from }) => from).filter(isSessionStatus), to };
}

function sessionMachine({ machines }: RuleBook['lifecycle']): RuleBook['lifecycle']['machines'][number] | undefined {
  return machines.find((row) => row.machine === 'session');
}

/** Returns the end states of a session, which have no outgoing transitions. */
export function endStates(lifecycle: RuleBook['lifecycle']): readonly SessionStatus[] {
  return statesWhere(lifecycle, (kind) => kind === 'end');
}

/** Returns all states of a session except its end states. */
export function liveStates(lifecycle: RuleBook['lifecycle']): readonly SessionStatus[] {
  return statesWhere(lifecycle, (kind) => kind !== 'end');
}

/** Returns whether a session with this status has ended. */
export function isTerminal(lifecycle: RuleBook['lifecycle'], status: SessionStatus): boolean {
  return sessionMachine(lifecycle)?.states.some(({ name, kind }) => name === status && kind === 'end') ?? false;
}

function statesWhere(lifecycle: RuleBook['lifecycle'], isWanted: (kind: string) => boolean): SessionStatus[] {
  const states = sessionMachine(lifecycle)?.states ?? [];
  return states.flatMap(({ name, kind }) => (isWanted(kind) && isSessionStatus(name) ? [name] : []));
}

function isSessionStatus(name: string): name is SessionStatus {
  return Object.hasOwn(sessionStatus, name);
}

/**
 * Status that stands for the life of a session: `active` until the session ends, then `stopped`. V2 shows this status
 * for its sessions; the console shows it for V2 and V4 sessions without tasks.
 */
export const shownSessionStatus = { active: 'active', stopped: 'stopped' } as const;

/** Returns whether a value is a status of a standalone browser. */
export function isBrowserStatus(value: unknown): value is BrowserStatus {
  return typeof value === 'string' && Object.hasOwn(browserStatus, value);
}

/** All internal states of a run, in the order of spec/rules/lifecycle.yaml. */
export const runStates: readonly RunState[] = Object.values(runState);

/** States of a run that waits for its sandbox. */
export const waitingRunStates = [runState.queued, runState.dispatching] as const;

/** States of a run that has not ended. */
export const activeRunStates = [...waitingRunStates, runState.running] as const;

/** Worker of a run: a model, the offline planner, a simulated model (test tasks and mocks), or a script. */
export type Worker = 'model' | 'offline_planner' | 'simulation' | 'script';

/** Types of the status of a run in responses, for each API version that shows runs. */
interface ShownStatus {
  readonly v2: TaskStatus;
  readonly v4: RunStatus;
}

const shownStatuses = { v2: taskStatus, v4: runStatus };

/**
 * Returns the status that an API version shows for an internal run state (spec/rules/lifecycle.yaml, views). Throws for
 * a state that the version does not show.
 */
export function shownStatus<Version extends keyof ShownStatus>(
  { lifecycle }: Pick<RuleBook, 'lifecycle'>,
  version: Version,
  state: RunState,
): ShownStatus[Version] {
  const status = lifecycle.views.find((view) => view.version === version && view.run === state)?.status;
  if (status === undefined || !isShown(version, status))
    throw new Error(`lifecycle: no view of a ${state} run in ${version}`);
  return status;
}

function isShown<Version extends keyof ShownStatus>(
  version: Version,
  status: string,
): status is ShownStatus[Version] & string {
  return Object.hasOwn(shownStatuses[version], status);
}

/** Returns the internal run states that an API version shows as one status; empty for a status that it never shows. */
export function statesShownAs(rules: RuleBook, version: keyof ShownStatus, status: string): RunState[] {
  return runStates.filter((state) => shownStatus(rules, version, state) === status);
}
