import { table } from '../../tools/pages/markdown.ts';
import type { TaskResult } from './run-tasks.ts';

/** Results of one agent. */
export interface AgentResults {
  readonly name: string;
  readonly results: readonly TaskResult[];
}

/** Returns the page of evidence; `origin` describes the run. */
export function tasksPage(agents: readonly AgentResults[], origin: string): string {
  return `${[
    '# Tasks',
    origin,
    'Each task of `fixtures/tasks` was given to a reference service of its own with real Chromium and a site of `fixtures/sites` with a fresh memory. Whether it was solved is read from the state of the site and from the output, never from what the agent says. A false claim is a success that is claimed and is not so. The wording was committed before the offline planner knew it; a third of the tasks is free-form. Nothing is drawn by chance.',
    'The offline planner works without a model. The scripted model shows what the tools can express: for each task a script calls them as a good model would. How well a real model does is unmeasured.',
    table(
      ['', 'Plain', 'Free', 'Impossible, and said so', 'All', 'False claims'],
      agents.map(({ name, results }) => [name, ...getCounts(results), String(claims(results).length)]),
    ),
    '## By site',
    table(
      ['Site', ...agents.map(({ name }) => name)],
      getSites(agents).map((site) => [site, ...agents.map(({ results }) => share(ofSite(results, site)))]),
    ),
    ...agents.flatMap(unsolved),
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

function getSites(agents: readonly AgentResults[]): string[] {
  return [...new Set(agents.flatMap(({ results }) => results.map(({ task }) => task.site)))].toSorted();
}

/** Returns the unsolved tasks with their differences, without URLs, which vary between runs. */
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
