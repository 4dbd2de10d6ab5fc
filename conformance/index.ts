/**
 * The conformance suite: judges a deployment from outside, over HTTP, by what generated/ states. `run` is the only door;
 * the command line and library users call it. It never imports src, never writes to stdout and never exits the process.
 */
export { run, planOf } from './run.ts';
export type { RunOptions } from './options.ts';
export type { Report } from './report/report.ts';
