import { setTimeout } from 'node:timers/promises';
import { createDraw } from '../draw.ts';
import type { TableReader } from '../kills/table-reader.ts';
import { isClearedUp, ownedBy, workerAt } from './owned-by.ts';
import type { ScaledService } from './scaled-service.ts';

/** Options of the kills. */
export interface KillingOptions {
  readonly service: ScaledService;
  /** Reads the tables of the service. */
  readonly read: TableReader;
  /** Interval of kills in milliseconds. */
  readonly everyMs: number;
  /** Seed of the choice of workers. */
  readonly seed: number;
  readonly progress: (line: string) => void;
}

/** Result of the kills. */
export interface Killed {
  readonly kills: number;
  /** Ids of sessions and browsers that a worker owned at its end, or until others noticed it. */
  readonly lost: ReadonlySet<string>;
  /** Times until everything of a dead worker was reclaimed, in milliseconds. */
  readonly clearedMs: readonly number[];
}

/** Interval of reading what a dead worker still owns. */
const lookMs = 100;

/**
 * Kills and restarts workers one after the other until the signal aborts; resolves when all run and nothing of a dead
 * one is left.
 */
export async function killWorkers(options: KillingOptions, stop: AbortSignal): Promise<Killed> {
  const { service, everyMs, seed, progress } = options;
  const draw = createDraw(seed);
  const lost = new Set<string>();
  const clearedMs: number[] = [];
  for (let kills = 0; ; kills += 1) {
    if (!(await waited(everyMs, stop))) return { kills, lost, clearedMs };
    const at = draw.below(service.workers.length);
    clearedMs.push(await killOne(options, at, lost));
    progress(
      `killed worker ${at}: ${lost.size} sessions and browsers up to now, cleared up after ${Math.round(clearedMs.at(-1) ?? 0)} ms`,
    );
  }
}

/** Kills a worker, records everything it owned until others have reclaimed it, and restarts it meanwhile. */
async function killOne({ service, read }: KillingOptions, at: number, lost: Set<string>): Promise<number> {
  const worker = await workerAt(read, service.workers[at] ?? '');
  if (worker === null) throw new Error(`found no worker at ${service.workers[at]}`);
  const note = async (): Promise<void> => {
    for (const id of await ownedBy(read, worker)) lost.add(id);
  };
  await note();
  await service.killWorker(at);
  const begun = performance.now();
  const [clearedMs] = await Promise.all([reclaimed(), service.startWorker(at)]);
  return clearedMs;

  async function reclaimed(): Promise<number> {
    for (;;) {
      await note();
      if (await isClearedUp(read, worker ?? '')) return performance.now() - begun;
      await setTimeout(lookMs);
    }
  }
}

/** Returns true after the time, false after an abort. */
async function waited(ms: number, stop: AbortSignal): Promise<boolean> {
  const [outcome] = await Promise.allSettled([setTimeout(ms, null, { signal: stop })]);
  return outcome.status === 'fulfilled';
}
