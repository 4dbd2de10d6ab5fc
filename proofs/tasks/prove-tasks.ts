import { mkdirSync, writeFileSync } from 'node:fs';
import { createOfflinePlanner } from '#planner/index.ts';
import { allScripts } from '../../test/tasks/all-scripts.ts';
import { readTasks } from '../../test/tasks/read-tasks.ts';
import type { Task } from '../../test/tasks/task-file.ts';
import { scriptedAgent } from '../../test/tasks/scripted-agent.ts';
import { currentCommit } from '../journal.ts';
import { type RunTasks, runTasks, type TaskResult } from './run-tasks.ts';
import { tasksPage } from './tasks-page.ts';

/** Minimum share of tasks that the offline planner must solve. */
const plannerShareMin = 0.6;

const agents: readonly { readonly name: string; readonly agentOf: RunTasks['agentOf']; readonly shareMin: number }[] = [
  {
    name: 'Offline planner',
    agentOf: () => createOfflinePlanner({ testTasks: false }),
    shareMin: plannerShareMin,
  },
  { name: 'Scripted model', agentOf: scriptedFor, shareMin: 1 },
];

/**
 * Gives all tasks to both agents and writes docs/evidence/tasks.md; false when one solves too few or claims a false
 * success. With `only` just the tasks whose ids contain it, without a page.
 */
export async function proveTasks({ only, jobs }: { readonly only: string; readonly jobs: number }): Promise<boolean> {
  const tasks = readTasks().filter(({ id }) => id.includes(only));
  const all: { name: string; results: TaskResult[]; isFine: boolean }[] = [];
  for (const { name, agentOf, shareMin } of agents) {
    const results = await runTasks(tasks, { agentOf, jobs, progress: (result) => console.log(getLine(name, result)) });
    all.push({ name, results, isFine: isFine(results, shareMin) });
  }
  if (only === '') write(all);
  return all.every((agent) => agent.isFine);
}

function scriptedFor({ id }: Task): ReturnType<RunTasks['agentOf']> {
  const script = allScripts[id];
  if (script === undefined) throw new Error(`found no script for ${id}, expected one in allScripts`);
  return scriptedAgent(script);
}

function isFine(results: readonly TaskResult[], shareMin: number): boolean {
  const solved = results.filter(({ verdict }) => verdict.solved).length;
  return solved >= results.length * shareMin && results.every(({ verdict }) => !verdict.isFalseClaim);
}

function getLine(name: string, { task, verdict }: TaskResult): string {
  const end = verdict.solved ? 'solved' : verdict.isFalseClaim ? 'FALSE CLAIM' : 'not solved';
  return `${name}, ${task.id}: ${[end, ...verdict.faults].join('; ')}`;
}

function write(all: Parameters<typeof tasksPage>[0]): void {
  const origin = `Written by \`npm run long -- tasks\` on commit ${currentCommit()}, ${new Date().toISOString().slice(0, 10)}.`;
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/tasks.md', tasksPage(all, origin));
}
