import type { RuleBook } from './rule-book.ts';

/** A state transition: allowed from any state of `from`, always to `to`. */
export interface Transition {
  readonly from: readonly string[];
  readonly to: string;
}

/** Selects a transition by its id and, where several transitions share the id, by its condition. */
export interface TransitionQuery {
  readonly machine: string;
  readonly id: string;
  /** Exact text of the `condition` column; required only where several rows share one id. */
  readonly condition?: string;
  /** The state before the transition, where the target depends on it. */
  readonly from?: string;
}

/**
 * Reads one transition of the lifecycle table: the transitions of the contract and, for `from: "*"`, the states that
 * decisions name (contract section 3; design section 8). Throws for an unknown transition, which is a programming
 * error.
 */
export function findTransition(lifecycle: RuleBook['lifecycle'], query: TransitionQuery): Transition {
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

/** Returns the end states of a machine, which have no outgoing transitions. */
export function endStates(lifecycle: RuleBook['lifecycle'], machine: string): readonly string[] {
  const states = lifecycle.machines.find((row) => row.machine === machine)?.states ?? [];
  return states.filter((state) => state.kind === 'end').map((state) => state.name);
}

/** Returns all states of a machine except its end states. */
export function liveStates(lifecycle: RuleBook['lifecycle'], machine: string): readonly string[] {
  const states = lifecycle.machines.find((row) => row.machine === machine)?.states ?? [];
  return states.filter((state) => state.kind !== 'end').map((state) => state.name);
}

/** Internal states of a run (spec/rules/lifecycle.yaml, views). */
const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'crashed'] as const;

/** An internal state of a run. */
export type RunState = (typeof runStates)[number];

/** What answers a run: a model, the offline planner, or a simulation of a model, which test tasks and mocks are. */
export type Worker = 'model' | 'offline_planner' | 'simulation';

/** An API version whose responses show runs. */
type RunVersion = 'v2' | 'v4';

/** Returns the status that an API version shows for an internal run state (spec/rules/lifecycle.yaml, views). */
export function shownStatus(rules: RuleBook, version: RunVersion, state: RunState): string {
  const row = rules.lifecycle.views.find((view) => view.version === version && view.run === state);
  if (row === undefined) throw new Error(`lifecycle: no view of a ${state} run in ${version}`);
  return row.status;
}

/** Returns the internal run states that an API version shows as one status; empty for a status that it never shows. */
export function statesShownAs(rules: RuleBook, version: RunVersion, status: string): RunState[] {
  return runStates.filter((state) => shownStatus(rules, version, state) === status);
}
