import { setTimeout } from 'node:timers/promises';
import { createDraw } from '../draw.ts';
import type { TableReader } from '../kills/table-reader.ts';
import { isClearedUp, ownedBy, workerAt } from './owned-by.ts';
import type { ScaledService } from './scaled-service.ts';

/** How workers are killed. */
export interface KillingOptions {
  readonly service: ScaledService;
  /** Reads the tables of the service beside it. */
  readonly read: TableReader;
  /** From one kill to the next, in milliseconds. */
  readonly everyMs: number;
  /** Which worker it is each time. */
  readonly seed: number;
  readonly progress: (line: string) => void;
}

/** What was killed. */
export interface Killed {
  readonly kills: number;
  /** Ids of the sessions and browsers that a worker owned when it died, or until that was noticed. */
  readonly lost: ReadonlySet<string>;
  /** How long it took each time until nothing was left to be cleared up, in milliseconds. */
  readonly clearedMs: readonly number[];
}

/** How often is looked whom a dead worker still owns. */
const lookMs = 100;

/** Kills one worker after the other and starts it anew, until it is told to stop; settles when all of them run and the dead are buried. */
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

/** Kills a worker, notes whatever it owns until others have taken that over, and starts it anew meanwhile. */
async function killOne({ service, read }: KillingOptions, at: number, lost: Set<string>): Promise<number> {
  const worker = await workerAt(read, service.workers[at] ?? '');
  if (worker === null) throw new Error(`found no worker at ${service.workers[at]}`);
  const note = async (): Promise<void> => {
    for (const id of await ownedBy(read, worker)) lost.add(id);
  };
  await note();
  await service.killWorker(at);
  const begun = performance.now();
  const [clearedMs] = await Promise.all([buried(), service.startWorker(at)]);
  return clearedMs;

  async function buried(): Promise<number> {
    for (;;) {
      await note();
      if (await isClearedUp(read, worker ?? '')) return performance.now() - begun;
      await setTimeout(lookMs);
    }
  }
}

/** True when the time has passed, false when it is enough. */
async function waited(ms: number, stop: AbortSignal): Promise<boolean> {
  const [outcome] = await Promise.allSettled([setTimeout(ms, null, { signal: stop })]);
  return outcome.status === 'fulfilled';
}
