import { isLegalStep, stepsOf } from '../../properties/lifecycle/machines.ts';
import type { Machine, WalkedEdge } from '../../core/lifecycle.ts';

/** One edge of a diagram. */
export interface DiagramEdge {
  from: string;
  to: string;
  /** How often it was seen; 0 for one that is only written. */
  count: number;
  /** `open`: written, never seen; `skipping`: seen, with a state between that no poll has met; `illegal`: must not happen. */
  kind: 'open' | 'walked' | 'skipping' | 'illegal';
}

/** What each kind of edge is called. */
export const edgeWords: Readonly<Record<DiagramEdge['kind'], string>> = {
  open: 'not seen',
  walked: 'seen',
  skipping: 'seen, with a state between that no poll met',
  illegal: 'seen, and must not happen',
};

/** The written edges of a machine and those that were seen, the gravest last, so that it is drawn on top. */
export function edgesOf(machine: Machine, walked: readonly WalkedEdge[]): DiagramEdge[] {
  const own = walked.filter((edge) => edge.machine === machine.machine);
  const written = stepsOf(machine);
  const isWritten = ({ from, to }: WalkedEdge): boolean => written.some((step) => step.from === from && step.to === to);
  const seen = own.map((edge): DiagramEdge => {
    const { from, to, count } = edge;
    if (!isLegalStep(machine, edge)) return { from, to, count, kind: 'illegal' };
    return { from, to, count, kind: machine.transitions.length === 0 || isWritten(edge) ? 'walked' : 'skipping' };
  });
  const open = written
    .filter(({ from, to }) => from !== to && !own.some((edge) => edge.from === from && edge.to === to))
    .map(({ from, to }): DiagramEdge => ({ from, to, count: 0, kind: 'open' }));
  return [...open, ...seen].toSorted((left, right) => weights[left.kind] - weights[right.kind]);
}

const weights: Readonly<Record<DiagramEdge['kind'], number>> = { open: 0, skipping: 1, walked: 2, illegal: 3 };
