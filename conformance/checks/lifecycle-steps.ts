import { lifecycle } from '#generated/rules.ts';

interface Transition {
  from: string;
  to: string;
}

const machine = lifecycle.machines.find((candidate) => candidate.machine === 'session');
const states: readonly { name: string; kind: string }[] = machine?.states ?? [];
const transitions: readonly Transition[] = machine?.transitions ?? [];

/** States after which nothing follows. */
export const endStates: readonly string[] = states.filter(({ kind }) => kind === 'end').map(({ name }) => name);

const open = states.map(({ name }) => name).filter((name) => !endStates.includes(name));

// "Any state" in the contract's table leaves out the end states: the general order ends with them.
const steps: readonly Transition[] = transitions.flatMap(({ from, to }) =>
  from === '*' ? open.map((name) => ({ from: name, to })) : [{ from, to }],
);

/** True when a session can be seen in `to` after it was seen in `from`; a poll may have missed states between them. */
export function isLegalStep(from: string, to: string): boolean {
  if (from === to) return true;
  const reached = new Set([from]);
  for (let grown = true; grown; ) {
    const next = steps.filter((step) => reached.has(step.from) && !reached.has(step.to));
    for (const step of next) reached.add(step.to);
    grown = next.length > 0;
  }
  return reached.has(to);
}
