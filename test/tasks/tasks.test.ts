import { describe, expect, it } from 'vitest';
import { createOfflinePlanner } from '#planner/index.ts';
import { allScripts } from './all-scripts.ts';
import { judgeTask } from './judge-task.ts';
import { readTasks } from './read-tasks.ts';
import type { Task } from './task-file.ts';
import { runTask } from './run-task.ts';
import { scriptedAgent } from './scripted-agent.ts';

// A sample of the tasks, including an impossible task, for which giving up is right. `npm run long -- tasks` runs all.
const tasks = readTasks();
/** Timeout of a task on a busy machine. A sign-up that waits for its mail takes longest. */
const timeout = 300_000;

function taskCalled(id: string): Task {
  const task = tasks.find((each) => each.id === id);
  if (task === undefined) throw new Error(`there is no task ${id}`);
  return task;
}

describe('a model that follows a script', () => {
  const ids = [
    'shop-voucher',
    'frames-gift-card',
    'shadow-temperature',
    'files-upload',
    'mail-code',
    'calendar-cancel',
    'forms-permit-elsewhere',
  ];
  it.each(ids)('%s', { timeout }, async (id) => {
    const script = allScripts[id];
    if (script === undefined) throw new Error(`there is no script for ${id}`);
    expect(judgeTask(taskCalled(id), await runTask(taskCalled(id), scriptedAgent(script)))).toMatchObject({
      solved: true,
    });
  });

  it('has a script for every task', () => {
    expect(Object.keys(allScripts).toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  });
});

describe('the offline planner', () => {
  it.each(['wizard-compare', 'login-wrong-password'])('claims nothing that is not so: %s', { timeout }, async (id) => {
    const task = taskCalled(id);
    const end = await runTask(task, createOfflinePlanner({ testTasks: false }));
    expect(judgeTask(task, end).isFalseClaim).toBe(false);
  });
});
