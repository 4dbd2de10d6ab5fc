/**
 * Certificates: what a run over a frozen set of requirements shows. Called by the runner; the command line prints what comes
 * out. It adds nothing to a set, never judges by itself, and knows no known failures.
 */
export { certify } from './certify.ts';
export { type FrozenSet, frozenSet } from './frozen-set.ts';
export { assertSpendFor, certificationOptions } from './scope-of.ts';
