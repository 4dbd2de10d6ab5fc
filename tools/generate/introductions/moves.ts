/** A state machine of spec/rules/lifecycle.yaml, with the members that an introduction needs. */
export interface Machine {
  readonly machine: string;
  readonly version: string;
  readonly states: readonly { readonly name: string; readonly kind: string; readonly meaning: string }[];
  readonly transitions: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly trigger: string;
    readonly condition: string;
  }[];
  readonly decisions?: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly text: string;
    readonly only?: string;
  }[];
}

/** A change of state that an introduction shows under one number: from each state of `from` to a state of `to`. */
export interface Moves {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly text: string;
}

/**
 * Returns the moves that a generation shows. Each transition is one move to its target. The move starts at the state
 * `from` of the transition (unless that is `*`), and at the state `from` of each decision with the same id and target.
 * Every other decision is a separate move. Decisions for other generations are omitted. A machine without transitions
 * has two moves: from pending states to live states, and from pending or live states to end states.
 */
export function getMoves(machine: Machine): Moves[] {
  if (machine.transitions.length === 0) return movesOfKinds(machine);
  const decisions = (machine.decisions ?? []).filter(({ only }) => only === undefined || only === machine.version);
  const sources = (id: string, to: string): string[] =>
    decisions.filter((row) => row.id === id && row.to === to).map(({ from }) => from);
  const written = machine.transitions.map(({ id, from, to, trigger, condition }) => ({
    from: [...new Set([...(from === '*' ? [] : [from]), ...sources(id, to)])],
    to: [to],
    text: condition.startsWith(trigger) ? condition : `${trigger} (${condition})`,
  }));
  const known = new Set(machine.transitions.map(({ id, to }) => `${id} ${to}`));
  const added = decisions
    .filter(({ id, to }) => !known.has(`${id} ${to}`))
    .map(({ from, to, text }) => ({ from: [from], to: [to], text }));
  return [...written, ...added];
}

function movesOfKinds({ states }: Machine): Moves[] {
  const names = (kinds: readonly string[]): string[] =>
    states.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
  return [
    { from: names(['pending']), to: names(['live']), text: 'the work begins' },
    {
      from: names(['pending', 'live']),
      to: names(['end']),
      text: 'the work ends, or is ended, in one of these states',
    },
  ];
}
