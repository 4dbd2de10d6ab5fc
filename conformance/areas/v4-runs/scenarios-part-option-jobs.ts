import type { Exchange } from '../../core/exchange.ts';
import { type JobKind, unstoppable, unwatchable } from '../../core/job-target.ts';
import type { Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target/target.ts';
import { runBody, runCeiling } from '../common/probe-bodies.ts';

/** V2 tasks with one option each. */
export interface OptionTasks {
  /** `thinking` true. */
  thinking: Exchange;
  /** `thinkingLevel` null. */
  nullLevel: Exchange;
}

/** V2 tasks with the legacy switch and with a level that is null, ended at once. */
export const optionTasks: Scenario<OptionTasks> = {
  name: 'option-tasks',
  creates: 'two V2 tasks, which are stopped at once',
  spend: 'task',
  dispatches: 2,
  stateful: false,
  unavailable: (target) => unendable(target, 'task'),
  drive: (drive) =>
    drive.live(async () => {
      const task = drive.target.tasks.succeed;
      return {
        thinking: (await drive.jobs.task.trial({ task, thinking: true })).exchange,
        nullLevel: (await drive.jobs.task.trial({ task, thinkingLevel: null })).exchange,
      };
    }),
};

/** One V4 run with empty modelParams, ended at once. */
export const emptyParamsRun: Scenario<Exchange> = {
  name: 'empty-params-run',
  creates: 'one V4 run with empty modelParams, which is cancelled at once',
  spend: 'task',
  dispatches: 1,
  stateful: false,
  unavailable: (target) => unendable(target, 'run'),
  drive: (drive) =>
    drive.live(async () => {
      const body = {
        ...runBody(drive.target, drive.target.tasks.succeed),
        ...runCeiling(drive.target),
        modelParams: {},
      };
      return (await drive.jobs.run.trial(body)).exchange;
    }),
};

/** Why what is created could neither be ended nor waited for; undefined when it could. */
export function unendable(target: Target, kind: JobKind): string | undefined {
  // A mock keeps nothing, so that nothing has to be ended there.
  if (target.stateless || unwatchable(target, kind) === undefined) return undefined;
  return unstoppable(target, kind);
}
