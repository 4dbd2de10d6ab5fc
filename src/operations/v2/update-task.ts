import type { components } from '#generated/v2.ts';
import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { bodyOf } from './body-of.ts';
import { findTaskOr404 } from './find-task.ts';
import { type WholeTask, renderTask, wholeTask } from './render-task.ts';

interface Stop {
  readonly found: RunOfSession;
  readonly action: components['schemas']['TaskAction'];
}

/** PATCH /tasks/{task_id} (companion 5.1): `stop` ends the task, and with it a session that lives for it alone (V2S4). */
export const updateTask: Operation<Caller, Stop, WholeTask> = {
  async decide(request, caller) {
    const found = await findTaskOr404(request, caller);
    return isProblem(found) ? found : { found, action: bodyOf(request, 'UpdateTask').action };
  },
  async apply({ found, action }, caller) {
    const { engine, scope } = caller;
    const { run, session } = found;
    const takesSession = action === 'stop_task_and_session' || session.keep_alive === 0;
    await (takesSession ? engine.stop(session, 'session') : engine.stopRun(found));
    const now = await engine.findRun(scope, run.id);
    return now === null ? problem('task_not_found', {}) : wholeTask(now, caller);
  },
  render: (task, caller) => ({ status: 200, body: renderTask(task, caller) }),
};
