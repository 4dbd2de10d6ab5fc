import { mkdirSync, writeFileSync } from 'node:fs';
import { createOfflinePlanner } from '#planner/index.ts';
import { allScripts } from '../../test/tasks/all-scripts.ts';
import { readTasks } from '../../test/tasks/read-tasks.ts';
import type { Task } from '../../test/tasks/task-file.ts';
import { scriptedAgent } from '../../test/tasks/scripted-agent.ts';
import { currentCommit } from '../../tools/measure/evidence.ts';
import { choose } from '../work.ts';
import { table } from '../../tools/pages/markdown.ts';
import type { Agent } from '#agent/agent.ts';
import { type Verdict, judgeTask } from '../../test/tasks/judge-task.ts';
import { runTask } from '../../test/tasks/run-task.ts';

/**
 * Minimum share of tasks that the offline planner must pass. An impossible task counts as passed if the planner reports
 * that it is impossible.
 */
const plannerShareMin = 0.6;

const agents: readonly {
  readonly name: string;
  readonly createAgent: RunTasks['createAgent'];
  readonly shareMin: number;
}[] = [
  {
    name: 'Offline planner',
    createAgent: () => createOfflinePlanner({ testTasks: false }),
    shareMin: plannerShareMin,
  },
  { name: 'Scripted model', createAgent: scriptedFor, shareMin: 1 },
];

/**
 * Runs all tasks with both agents and writes docs/evidence/tasks.md. Returns false when an agent solves too few tasks
 * or reports a false success. With a non-empty `only`, runs only the tasks whose ids contain this text, and writes no
 * page.
 */
export async function proveTasks({ only, jobs }: { readonly only: string; readonly jobs: number }): Promise<boolean> {
  const tasks = choose(readTasks(), only, ({ id }) => id);
  const all: { name: string; results: TaskResult[]; isFine: boolean }[] = [];
  for (const { name, createAgent, shareMin } of agents) {
    const results = await runTasks(tasks, {
      createAgent,
      jobs,
      progress: (result) => console.log(getLine(name, result)),
    });
    all.push({ name, results, isFine: isFine(results, shareMin) });
  }
  if (only === '') write(all);
  return all.every((agent) => agent.isFine);
}

function scriptedFor({ id }: Task): ReturnType<RunTasks['createAgent']> {
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

/** Results of one agent. */
interface AgentResults {
  readonly name: string;
  readonly results: readonly TaskResult[];
}

/** Returns the text of docs/evidence/tasks.md; `origin` describes the run. */
function tasksPage(judged: readonly AgentResults[], origin: string): string {
  return `${[
    '# Tasks',
    origin,
    'Each task of `fixtures/tasks` was given to a reference service of its own with real Chromium and a site of `fixtures/sites` with a fresh memory. The state of the site and the output show whether the task was solved; the statement of the agent does not count. A false claim is a success that the agent reports and that the site or the output contradicts. The wording of each task was committed before the offline planner was tried on it. A third of the tasks is free-form: they describe a goal without steps. No choice is random.',
    'The offline planner works without a model. The scripted model shows that the tools suffice: for each task, a script calls the tools as a good model would. No real model has been measured.',
    table(
      ['', 'Plain', 'Free', 'Impossible, and said so', 'All', 'False claims'],
      judged.map(({ name, results }) => [name, ...getCounts(results), String(claims(results).length)]),
    ),
    '## By site',
    table(
      ['Site', ...judged.map(({ name }) => name)],
      getSites(judged).map((site) => [site, ...judged.map(({ results }) => share(ofSite(results, site)))]),
    ),
    ...judged.flatMap(unsolved),
  ].join('\n\n')}\n`;
}

function getCounts(results: readonly TaskResult[]): string[] {
  const possible = results.filter(({ task }) => task.possible);
  return [
    possible.filter(({ task }) => task.kind === 'plain'),
    possible.filter(({ task }) => task.kind === 'free'),
    results.filter(({ task }) => !task.possible),
    results,
  ].map(share);
}

function share(results: readonly TaskResult[]): string {
  return `${results.filter(({ verdict }) => verdict.solved).length} of ${results.length}`;
}

function claims(results: readonly TaskResult[]): TaskResult[] {
  return results.filter(({ verdict }) => verdict.isFalseClaim);
}

function ofSite(results: readonly TaskResult[], site: string): TaskResult[] {
  return results.filter(({ task }) => task.site === site);
}

function getSites(judged: readonly AgentResults[]): string[] {
  return [...new Set(judged.flatMap(({ results }) => results.map(({ task }) => task.site)))].toSorted();
}

/**
 * Returns the section with the unsolved tasks and how their results differ from the expected results; empty without
 * unsolved tasks. Addresses of sites are replaced, because they vary between runs.
 */
function unsolved({ name, results }: AgentResults): string[] {
  const rows = results.filter(({ verdict }) => !verdict.solved);
  if (rows.length === 0) return [];
  const cell = (text: string): string =>
    text
      .replaceAll(/127\.0\.0\.\d:\d+/g, '(site)')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('|', '\\|')
      .slice(0, 220);
  return [
    `## Not solved: ${name}`,
    table(
      ['Task', 'Kind', 'What was found'],
      rows.map(({ task, verdict }) => [task.id, task.kind, cell(verdict.faults.join('; '))]),
    ),
  ];
}

/** A task with its result. */
interface TaskResult {
  readonly task: Task;
  readonly verdict: Verdict;
}

/** Options of running tasks. */
interface RunTasks {
  readonly createAgent: (task: Task) => Agent;
  /** Number of concurrent tasks, at least 1. */
  readonly jobs: number;
  /** Called with each result. */
  readonly progress: (result: TaskResult) => void;
}

/** Runs tasks, each with a new service and site; results are in the order of the tasks. */
async function runTasks(tasks: readonly Task[], options: RunTasks): Promise<TaskResult[]> {
  const results: TaskResult[] = [];
  const queue = [...tasks.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, task] = next;
      const result = { task, verdict: await getVerdict(task, options) };
      results[at] = result;
      options.progress(result);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return results;
}

/** Returns the verdict of a task. A task whose service fails counts as unsolved, and the other tasks still run. */
async function getVerdict(task: Task, { createAgent }: RunTasks): Promise<Verdict> {
  try {
    return judgeTask(task, await runTask(task, createAgent(task)));
  } catch (error) {
    return { solved: false, isFalseClaim: false, faults: [`it could not be run: ${String(error)}`] };
  }
}
