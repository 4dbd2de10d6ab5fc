import { isLegalStep, stepsOf } from '../../properties/lifecycle/machines.ts';
import type { Machine, WalkedEdge } from '../../core/lifecycle.ts';

/** One edge of a diagram. */
export interface DiagramEdge {
  from: string;
  to: string;
  /** Number of observations; 0 for an edge that is only documented. */
  count: number;
  /**
   * `open`: documented, not observed; `walked`: observed; `skipping`: observed, but a poll missed a state between;
   * `illegal`: forbidden, but observed.
   */
  kind: 'open' | 'walked' | 'skipping' | 'illegal';
}

/** Name of each kind of edge in the report. */
export const edgeWords: Readonly<Record<DiagramEdge['kind'], string>> = {
  open: 'not seen',
  walked: 'seen',
  skipping: 'seen, with a state between that no poll met',
  illegal: 'seen, and must not happen',
};

/**
 * Returns the documented and the observed edges of a machine. The most severe edges come last, so that they are drawn
 * on top.
 */
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
