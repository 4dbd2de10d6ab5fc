import { mkdirSync, writeFileSync } from 'node:fs';
import { type DrawnCounts, checkDrawnPages } from '../../test/replays/drawn-pages.ts';
import { drifts, type Drift } from '../../test/replays/drifts.ts';
import { readTasks } from '../../test/tasks/read-tasks.ts';
import type { Task } from '../../test/tasks/task-file.ts';
import { type Draw, createDraw } from '../draw.ts';
import { currentCommit } from '../../tools/measure/evidence.ts';
import { choose } from '../work.ts';
import { type Recorded, type Replay, type ReplayEnd, startPlayer } from './run-replays.ts';
import { table } from '../../tools/pages/markdown.ts';

/** Options of the proof. */
interface ReplaysOptions {
  readonly seed: number;
  readonly replays: number;
  readonly minutes: number;
  /** Text that the ids of the tasks must contain; empty selects all. */
  readonly only: string;
}

/** Minimum share of replays that have to be played or healed. */
const shareMin = 0.9;

/**
 * Records tasks and replays their scripts on modified pages until enough replays are done or the time is over. Writes
 * docs/evidence/replays.md after a run of all tasks. Returns false without any replay, for a wrong action, for
 * a model call on an unmodified page, and for too few successful replays.
 */
export async function proveReplays({ seed, replays: wanted, minutes, only }: ReplaysOptions): Promise<boolean> {
  const commit = currentCommit();
  const draw = createDraw(seed);
  const possible = readTasks().filter((task) => task.possible);
  const tasks = draw.shuffled(choose(possible, only, ({ id }) => id));
  const end = Date.now() + minutes * 60_000;
  const drawn = await checkDrawnPages({ seed, runs: drawnPages });
  const found = { drawn, recorded: new Array<RecordedTask>(), replays: new Array<Replay>() };
  const player = await startPlayer();
  const scripts = new Map<string, Recorded>();
  const isOver = (): boolean => Date.now() >= end || found.replays.length >= wanted;
  try {
    for (const [task, drift] of plan(tasks, draw)) {
      if (isOver()) break;
      const recorded = scripts.get(task.id) ?? (await player.record(task));
      if (!scripts.has(task.id)) found.recorded.push(noted(recorded));
      scripts.set(task.id, recorded);
      if (recorded.script === null) continue;
      const replay = await player.replay(recorded, drift);
      found.replays.push(replay);
      console.log(getLine(replay));
    }
  } finally {
    await player.stop();
  }
  const origin = `Written by \`npm run long -- replays --seed ${seed}\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`;
  mkdirSync('docs/evidence', { recursive: true });
  if (only === '') writeFileSync('docs/evidence/replays.md', replaysPage(found, origin));
  return isFine(found);
}

/**
 * Yields tasks, each with a drift (a change of its pages) or null for unchanged pages. The first round yields each task
 * without drift and with one drift. Each later round yields each task with another drift. The drifts of a task are in
 * random order.
 */
function* plan(tasks: readonly Task[], draw: Draw): Generator<[task: Task, drift: Drift | null]> {
  const orders = new Map(tasks.map(({ id }) => [id, draw.shuffled(drifts)]));
  for (const [round] of drifts.entries())
    for (const task of tasks) {
      if (round === 0) yield [task, null];
      yield [task, orders.get(task.id)?.[round] ?? null];
    }
}

function noted({ task, turns, first, script }: Recorded): RecordedTask {
  const said = first.summaries.find((summary) => summary.startsWith('Kept no script')) ?? 'the run did not succeed';
  return { task, turns, tookMs: first.tookMs, missing: script === null ? said : null };
}

function getLine({ task, drift, end, tookMs, wrong, reason }: Replay): string {
  const parts = [
    `${task}, ${drift ?? 'no drift'}: ${end}`,
    `${Math.round(tookMs)} ms`,
    ...wrong.map((one) => `WRONG ${one}`),
  ];
  return [...parts, ...(reason === null ? [] : [reason])].join('; ');
}

/**
 * Returns true if there are replays, none has a wrong action, none without drift has called a model, and enough were
 * played or healed.
 */
function isFine({ replays }: Found): boolean {
  const { good, wanted } = countPlayed(replays);
  const isSafe = replays.every(({ wrong }) => wrong.length === 0);
  const isFree = replays.every(({ drift, modelCalls }) => drift !== null || modelCalls === 0);
  return replays.length > 0 && isSafe && isFree && good >= wanted * shareMin;
}

/** Result of the first run of a task, in which the script of the task is recorded. */
interface RecordedTask extends Pick<Recorded, 'task' | 'turns'> {
  readonly tookMs: number;
  /** Reason why the run left no script; null when it left a script. */
  readonly missing: string | null;
}

/** Results of the proof. */
interface Found {
  /** Results on randomly generated pages: how many scripts used an element, and how many refused to use an element. */
  readonly drawn: DrawnCounts;
  readonly recorded: readonly RecordedTask[];
  readonly replays: readonly Replay[];
}

/** Number of randomly generated pages, on which scripts are tested without a browser. */
const drawnPages = 10_000;

const ends: readonly ReplayEnd[] = ['replayed', 'healed', 'healed by the model', 'fell back', 'failed'];

/** Returns the text of docs/evidence/replays.md; `origin` describes the run. */
function replaysPage({ drawn, recorded, replays }: Found, origin: string): string {
  const wrong = replays.filter((replay) => replay.wrong.length > 0);
  const { good, wanted } = countPlayed(replays);
  return `${[
    '# Replays',
    origin,
    'A scripted model worked on each task of `fixtures/tasks` once, in real Chromium; the run left a script. The script was then played on a new copy of the site, whose pages had changed (drifted). The pages report the used elements by identities that are not visible on them. A wrong action is a use of an element that the first run did not use, or a false claim of success. The program in place of a model recognises changed labels, and judges the answer by the state of the site; no real model has been measured. After a fall back no agent works, so that only the script is judged.',
    `${recorded.length} tasks were recorded, ${recorded.filter(({ missing }) => missing === null).length} left a script. ${replays.length} replays: ${good} of ${wanted} played or healed, ${wrong.length} with a wrong action.`,
    table(
      ['Drift', 'Replays', ...ends.map(capital), 'Model calls', 'Wrong actions'],
      [null, ...drifts].map((drift) =>
        row(
          drift,
          replays.filter((replay) => replay.drift === drift),
        ),
      ),
    ),
    'With `replaced-buttons`, other buttons with the same names replace the buttons of forms; a correct replay uses none of them. A replay that falls back there does not count as a replay that must be played.',
    `In addition, ${drawnPages} random pages whose controls share names, targets and places were generated and changed without a browser. Scripts without a model used ${drawn.used} elements and refused ${drawn.refused}; each used element does the same as the recorded one.`,
    '## Time',
    timeText(recorded, replays),
    ...details('## Wrong actions', wrong, ({ wrong: found }) => found.join('; ')),
    ...details(
      '## Not played',
      replays.filter(({ reason }) => reason !== null),
      ({ reason }) => reason ?? '',
    ),
    ...unrecorded(recorded),
  ].join('\n\n')}\n`;
}

function row(drift: string | null, replays: readonly Replay[]): string[] {
  const count = (end: ReplayEnd): string => String(replays.filter((replay) => replay.end === end).length);
  const calls = replays.reduce((sum, { modelCalls }) => sum + modelCalls, 0);
  const wrong = replays.filter((replay) => replay.wrong.length > 0).length;
  return [drift ?? 'none', String(replays.length), ...ends.map(count), String(calls), String(wrong)];
}

/**
 * Returns two numbers: `good` counts the replays that were played or healed; `wanted` counts all replays except those
 * that rightly fell back.
 */
function countPlayed(replays: readonly Replay[]): { readonly good: number; readonly wanted: number } {
  const good = replays.filter(({ end }) => end !== 'fell back' && end !== 'failed').length;
  return { good, wanted: replays.length - replays.filter(isRightlyRefused).length };
}

/**
 * Returns true for a replay that fell back because the page had replaced buttons. No other end is right on such a page.
 */
function isRightlyRefused({ drift, end }: Replay): boolean {
  return drift === 'replaced-buttons' && end === 'fell back';
}

/** Latencies of a model in seconds per call, for which docs/evidence/replays.md compares first runs with replays. */
const latencies = [0, 1, 3, 5];

function timeText(recorded: readonly RecordedTask[], replays: readonly Replay[]): string {
  const played = new Map(replays.flatMap((one) => (one.drift === null ? [[one.task, one.tookMs] as const] : [])));
  const pairs = recorded.flatMap(({ task, turns, tookMs }) => {
    const again = played.get(task.id);
    return again === undefined ? [] : [{ turns, tookMs, again }];
  });
  const again = pairs.reduce((all, one) => all + one.again, 0);
  const ratios = latencies.map((seconds) => {
    const first = pairs.reduce((all, { tookMs, turns }) => all + tookMs + turns * seconds * 1_000, 0);
    return `${(first / again).toFixed(1)} times with ${seconds} s`;
  });
  const turns = pairs.reduce((all, one) => all + one.turns, 0) / pairs.length;
  return `From the request to the end, with the start of a browser, ${pairs.length} replays without drift took ${(again / pairs.length / 1_000).toFixed(1)} s on average, and their first runs ${turns.toFixed(1)} calls of a model. The scripted model answers at once. The first run takes longer by the factor: ${ratios.join(', ')} for each call of the model. Only the first figure is measured; the others add the time of the calls.`;
}

function details(title: string, replays: readonly Replay[], text: (replay: Replay) => string): string[] {
  if (replays.length === 0) return [];
  const rows = replays.map((replay) => [replay.task, replay.drift ?? 'none', replay.end, cell(text(replay))]);
  return [title, table(['Task', 'Drift', 'End', 'What was found'], rows)];
}

function unrecorded(recorded: readonly RecordedTask[]): string[] {
  const rows = recorded.flatMap(({ task, missing: reason }) => (reason === null ? [] : [[task.id, cell(reason)]]));
  return rows.length === 0 ? [] : ['## No script', table(['Task', 'Reason'], rows)];
}

function cell(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.\d:\d+/g, '(site)')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .slice(0, 220);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
