/**
 * What a run has exercised of the whole interface: measured from its exchanges, kept in the report, read back and shown. It
 * counts; it never judges an answer, and it sends nothing.
 */
export { type OperationCoverage, type Share, notExercised } from './coverage.ts';
export { measureCoverage } from './measure.ts';
export { readCoverage } from './read.ts';
export { renderCoverage } from './render.ts';
