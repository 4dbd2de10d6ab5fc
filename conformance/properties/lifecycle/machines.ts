import type { Step, Machine } from '../../core/lifecycle.ts';
import { lifecycle } from '#generated/rules.ts';

/** Every state machine of `spec/rules/lifecycle.yaml`, in the order of the table. */
export const machines: readonly Machine[] = lifecycle.machines;

/** Returns the machine with a name. Throws if `generated/rules.ts` has none. */
export function findMachine(name: Machine['machine']): Machine {
  const found = machines.find(({ machine }) => machine === name);
  if (found === undefined) throw new Error(`generated/rules.ts has no machine ${name}`);
  return found;
}

/**
 * Returns the distinct transitions that the table of a machine lists. `*` stands for every state except the end states.
 */
export function listSteps({ states, transitions }: Machine): Step[] {
  const open = states.filter(({ kind }) => kind !== 'end').map(({ name }) => name);
  const steps = transitions.flatMap(({ from, to }) =>
    from === '*' ? open.map((name) => ({ from: name, to })) : [{ from, to }],
  );
  return [...new Map(steps.map((step) => [`${step.from} ${step.to}`, step])).values()];
}

/**
 * Returns true if state `to` may be observed after state `from`; a poll may have missed states between them. Equal
 * states are always legal. Without listed transitions, every step is legal that does not begin in an end state.
 */
export function isLegalStep(machine: Machine, { from, to }: Step): boolean {
  if (from === to) return true;
  if (machine.transitions.length === 0) return machine.states.find(({ name }) => name === from)?.kind !== 'end';
  const steps = listSteps(machine);
  const reached = new Set([from]);
  for (let grown = true; grown; ) {
    const next = steps.filter((step) => reached.has(step.from) && !reached.has(step.to));
    for (const step of next) reached.add(step.to);
    grown = next.length > 0;
  }
  return reached.has(to);
}
