import { mkdirSync, writeFileSync } from 'node:fs';
import { checkDrawnPages } from '../../test/replays/drawn-pages.ts';
import { type Drift, DRIFTS } from '../../test/replays/drifts.ts';
import { readTasks } from '../../test/tasks/read-tasks.ts';
import type { Task } from '../../test/tasks/task-file.ts';
import { createDraw, type Draw } from '../draw.ts';
import { currentCommit } from '../journal.ts';
import { DRAWN_PAGES, type Found, type RecordedTask, replaysPage } from './replays-page.ts';
import { type Recorded, type Replay, startPlayer } from './run-replays.ts';

/** Options of the proof. */
export interface ReplaysOptions {
  readonly seed: number;
  readonly replays: number;
  readonly minutes: number;
  /** Part of the ids of the tasks. */
  readonly only: string;
}

/** Minimum share of replays that have to be played or healed. */
const SHARE_MIN = 0.9;

/**
 * Records all tasks, and plays their scripts on drifted pages until enough replays are done or the time is over. Writes
 * docs/evidence/replays.md, unless only some tasks are taken. Returns false for a wrong action, for a model call without
 * drift, and for too few replays that were played or healed.
 */
export async function proveReplays({ seed, replays: wanted, minutes, only }: ReplaysOptions): Promise<boolean> {
  const commit = currentCommit();
  const draw = createDraw(seed);
  const tasks = shuffled(
    readTasks().filter(({ id, possible }) => possible && id.includes(only)),
    draw,
  );
  const end = Date.now() + minutes * 60_000;
  const drawn = await checkDrawnPages({ seed, runs: DRAWN_PAGES });
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

/** Returns tasks with drifts: first each task without drift and with one, then with the others, in a drawn order. */
function* plan(tasks: readonly Task[], draw: Draw): Generator<[task: Task, drift: Drift | null]> {
  const orders = new Map(tasks.map(({ id }) => [id, shuffled(DRIFTS, draw)]));
  for (const [round] of DRIFTS.entries())
    for (const task of tasks) {
      if (round === 0) yield [task, null];
      yield [task, orders.get(task.id)?.[round] ?? null];
    }
}

function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  return list
    .map((one) => [draw.random(), one] as const)
    .toSorted(([left], [right]) => left - right)
    .map(([, one]) => one);
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

/** Returns whether replays meet their targets. */
function isFine({ replays }: Found): boolean {
  const good = replays.filter(({ end }) => end !== 'fell back' && end !== 'failed').length;
  const isSafe = replays.every(({ wrong }) => wrong.length === 0);
  const isFree = replays.every(({ drift, modelCalls }) => drift !== null || modelCalls === 0);
  return isSafe && isFree && good >= replays.length * SHARE_MIN;
}
