/**
 * The state machines of the contract, and the steps between their states that a run has seen. Called by checks and by the
 * report. It reads the generated tables and recorded exchanges; it never sends anything and gives no verdict of its own.
 */
export { isLegalStep, machineOf, machines, stepsOf } from './machines.ts';
export type { Machine, WalkedEdge } from '../../core/lifecycle.ts';
export { walkedEdges } from './walked-edges.ts';
