import type { ConsoleOutcome } from '#contract/console-messages.ts';
import type { RunState } from '#contract/lifecycle.ts';

/** Outcomes by run state. Only a run that ended by itself can be `missed`; a stopped run has no verdict. */
export const outcomes: Readonly<Record<RunState, ConsoleOutcome>> = {
  queued: 'open',
  running: 'open',
  succeeded: 'achieved',
  failed: 'missed',
  cancelled: 'stopped',
  crashed: 'crashed',
};

/** Returns the run states with an outcome. */
export function statesWith(outcome: ConsoleOutcome): RunState[] {
  const states: readonly RunState[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'crashed'];
  return states.filter((state) => outcomes[state] === outcome);
}
