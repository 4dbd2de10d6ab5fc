import { type Exchange, succeeded } from '../../core/exchange.ts';
import { unstoppable, unwatchable } from '../../core/job-target.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { isOver, watchJob } from '../common/scenarios-part-observed-job.ts';

/** A V2 task with a judge. */
export interface JudgedTask {
  created: Exchange;
  /** The task at its end; undefined where it was refused. */
  record: Exchange | undefined;
}

/** One V2 task that a judge is asked about. */
export const judgedTask: Scenario<JudgedTask> = {
  name: 'judged-task',
  creates: 'one V2 task that succeeds, with a judge',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => unwatchable(target, 'task') ?? unstoppable(target, 'task'),
  drive: (drive) => drive.live(() => driveOne(drive)),
};

async function driveOne(drive: Drive): Promise<JudgedTask> {
  const { jobs, target } = drive;
  const judge = { judge: true, judgeGroundTruth: 'The task succeeds.' };
  const created = await jobs.task.create({ task: target.tasks.succeed, ...judge });
  const id = succeeded(created) ? jobs.task.idOf(created) : undefined;
  if (id === undefined) return { created, record: undefined };
  await watchJob(drive, jobs.task, { id, until: isOver, deadlineMs: target.polling.taskDeadlineMs });
  return { created, record: (await jobs.task.look(id)).exchange };
}
