import type { RunEnd } from './report.ts';

/** Why a run ended early, after "The run ended early:". */
export const endings: Readonly<Record<Exclude<RunEnd, 'complete'>, string>> = {
  interrupted: 'it was interrupted',
  timeLimit: 'the time limit was reached',
  costLimit: 'the cost limit was reached',
  maxFailures: 'the limit of failed requirements was reached',
};
