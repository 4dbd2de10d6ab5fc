import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findTaskOr404 } from './find-task.ts';

/** GET /tasks/{task_id}/logs (companion 5.1). */
export const getTaskLogs: Operation<Caller, RunOfSession, RunOfSession> = {
  async decide(request, caller) {
    const found = await findTaskOr404(request, caller);
    return isProblem(found) || found.run.started_at !== null ? found : problem('task_log_missing', {});
  },
  apply: async (found) => found,
  render: ({ run }, { addresses }) => ({ status: 200, body: { downloadUrl: addresses.taskLog(run.id) } }),
};
