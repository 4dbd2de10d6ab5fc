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
