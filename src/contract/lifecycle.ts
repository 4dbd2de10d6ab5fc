import type { RuleBook } from './rule-book.ts';

/** A conditional state change: allowed from any of `from`, always to `to`. */
export interface Move {
  readonly from: readonly string[];
  readonly to: string;
}

/** Which move is meant: the transition's id and, where the table has several of that id, its condition. */
export interface MoveQuery {
  readonly machine: string;
  readonly id: string;
  /** Exact text of the `condition` column; needed only where one id has several rows. */
  readonly condition?: string;
  /** The state left, where the target depends on it. */
  readonly from?: string;
}

/**
 * Reads one move from the life-cycle table: the contract's transitions, and for `from: "*"` the states that our decisions
 * name (contract section 3; design section 8). Throws when the table has no such move, which is a bug of the caller.
 */
export function moveOf(lifecycle: RuleBook['lifecycle'], query: MoveQuery): Move {
  const machine = lifecycle.machines.find((row) => row.machine === query.machine);
  const written = (machine?.transitions ?? [])
    .filter((row) => row.id === query.id && (query.condition === undefined || row.condition === query.condition))
    .map(({ from, to }) => ({ from, to }));
  const decided = (machine?.decisions ?? []).filter((row) => row.id === query.id).map(({ from, to }) => ({ from, to }));
  const rows = [...written, ...decided].filter((row) => row.from !== '*' && (query.from ?? row.from) === row.from);
  const [first] = rows;
  if (first === undefined) throw new Error(`lifecycle: no move ${JSON.stringify(query)}`);
  return { from: rows.map((row) => row.from), to: first.to };
}

/** Names of the end states of a machine: nothing leaves them. */
export function endStates(lifecycle: RuleBook['lifecycle'], machine: string): readonly string[] {
  const states = lifecycle.machines.find((row) => row.machine === machine)?.states ?? [];
  return states.filter((state) => state.kind === 'end').map((state) => state.name);
}

/** Names of the states of a machine that something lives in: all but the end states. */
export function liveStates(lifecycle: RuleBook['lifecycle'], machine: string): readonly string[] {
  const states = lifecycle.machines.find((row) => row.machine === machine)?.states ?? [];
  return states.filter((state) => state.kind !== 'end').map((state) => state.name);
}

/** Where a run stands for the engine, in the words of spec/rules/lifecycle.yaml, views. */
const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'crashed'] as const;

/** One of the words above. */
export type RunState = (typeof runStates)[number];

/** What answers a run: a model, the offline planner, or a simulation of a model, which test tasks and mocks are. */
export type Worker = 'model' | 'offline_planner' | 'simulation';

/** A generation that shows runs. */
type RunVersion = 'v2' | 'v4';

/** The status word that a generation shows for a run in a state of the engine (spec/rules/lifecycle.yaml, views). */
export function shownStatus(rules: RuleBook, version: RunVersion, state: RunState): string {
  const row = rules.lifecycle.views.find((view) => view.version === version && view.run === state);
  if (row === undefined) throw new Error(`lifecycle: no view of a ${state} run in ${version}`);
  return row.status;
}

/** The states of the engine that a generation shows with one status word; none for a word that it never shows. */
export function statesShownAs(rules: RuleBook, version: RunVersion, status: string): RunState[] {
  return runStates.filter((state) => shownStatus(rules, version, state) === status);
}
