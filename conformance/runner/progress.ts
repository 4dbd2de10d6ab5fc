import type { Progress, ProgressCounts, RunSettings } from './settings.ts';
import type { RunContext } from './run-context.ts';
import type { Judgement } from './judge.ts';
import type { Plan } from './plan.ts';
import type { Requirement } from '../core/requirement.ts';
import { spentUsd } from './watch.ts';

/** Emits progress events to the listener of a run. */
export type ProgressEmitter = (
  event: Exclude<Progress, { kind: 'judged' }> | { kind: 'judged'; requirement: Requirement; judgement: Judgement },
) => void;

/** Input of {@link createProgressEmitter}. */
export interface ProgressInput {
  plan: Plan;
  settings: RunSettings;
  runContext: RunContext;
}

/** Creates the emitter of a run's progress events. The emitter counts judged requirements. */
export function createProgressEmitter({ plan, settings, runContext }: ProgressInput): ProgressEmitter {
  const planned = plan.rows.filter(({ skip }) => skip === undefined).length;
  let judged = 0;
  const counts = (): ProgressCounts => ({
    judged,
    planned,
    requests: runContext.recorder.all().length,
    // A pending request, such as a refusal probe, has not created a resource yet.
    created: runContext.ledger.entries().filter(({ state }) => state !== 'refused' && state !== 'requested').length,
    spentUsd: spentUsd(runContext.ledger),
    elapsedMs: settings.environment.elapsedMs(),
  });
  return (event) => {
    if (event.kind !== 'judged') {
      settings.onProgress?.(event, counts);
      return;
    }
    judged += 1;
    const { id, level } = event.requirement;
    const message = event.judgement.findings[0]?.message;
    const { verdict } = event.judgement;
    settings.onProgress?.(
      { kind: 'judged', id, level, verdict, ...(message === undefined ? {} : { message }) },
      counts,
    );
  };
}
