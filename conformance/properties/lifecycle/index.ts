export { isLegalStep, machineOf, machines, stepsOf } from './machines.ts';
export type { Machine, WalkedEdge } from '../../core/lifecycle.ts';
export { walkedEdges } from './walked-edges.ts';
