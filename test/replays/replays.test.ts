import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '#agent/agent.ts';
import { desk } from '../support/workspace-client.ts';
import { allScripts } from '../tasks/all-scripts.ts';
import { judgeTask } from '../tasks/judge-task.ts';
import { readTasks } from '../tasks/read-tasks.ts';
import { scriptedAgent } from '../tasks/scripted-agent.ts';
import type { Task } from '../tasks/task-file.ts';
import { type ReplayBench, startReplayBench } from './replay-bench.ts';

/** Timeout that allows for a busy machine. */
const timeout = 300_000;

let bench: ReplayBench;
/** Key in `allScripts` of the task that the agent may work on; null while the agent must not be called. */
let working: string | null = null;

const agent: Agent = {
  worker: () => 'model',
  run(task, world) {
    const script = allScripts[working ?? ''];
    if (script === undefined) throw new Error('the agent was called, expected a replay');
    return scriptedAgent(script).run(task, world);
  },
};

beforeAll(async () => {
  bench = await startReplayBench(agent);
}, timeout);
afterAll(() => bench.stop());

function taskCalled(id: string): Task {
  const task = readTasks().find((each) => each.id === id);
  if (task === undefined) throw new Error(`found no task ${id}, expected one in fixtures/tasks`);
  return task;
}

describe('a second run of a task', () => {
  it.each(['shop-voucher', 'login-stored-password', 'mail-code'])('%s needs no agent', { timeout }, async (id) => {
    const task = taskCalled(id);
    const workspaceId = await bench.workspace(task);
    const run = { workspaceId, rewrite: (reply) => reply } satisfies Parameters<ReplayBench['run']>[1];
    working = id;
    const first = await bench.run(task, run);
    working = null;
    expect(first.session['answeredBy']).toBe('model');
    expect(first.summaries.join('\n')).toContain('Kept the script scripts/');
    const paths = await desk(bench.v4, workspaceId).paths();
    expect(paths.filter((path) => String(path).startsWith('scripts/'))).toHaveLength(1);

    const second = await bench.run(task, run);
    expect(judgeTask(task, second)).toMatchObject({ solved: true });
    expect(second.session).toMatchObject({ answeredBy: 'script', totalInputTokens: 0, totalOutputTokens: 0 });
    expect(second.summaries.filter((summary) => summary.startsWith('Replayed: ')).length).toBeGreaterThan(2);
  });

  it('does not use a script with cacheScript false', { timeout }, async () => {
    const task = taskCalled('forms-survey');
    const workspaceId = await bench.workspace(task);
    const more = { cacheScript: false };
    working = 'forms-survey';
    await bench.run(task, { workspaceId, rewrite: (reply) => reply, more });
    working = null;
    expect(await desk(bench.v4, workspaceId).paths()).toEqual([]);
  });
});
