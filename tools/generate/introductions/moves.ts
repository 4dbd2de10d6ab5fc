/** A machine of spec/rules/lifecycle.yaml with the members that a picture needs. */
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

/** Moves from some states to others. They share one text, and one number in the picture. */
export interface Moves {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly text: string;
}

/**
 * Returns the moves that a generation shows. Each transition is one move. It starts at the state of the transition
 * (none for `*`) and at the state of each decision with the same id and target. Every other decision is a separate
 * move. A machine without transitions moves from kind to kind: pending, live, end.
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
