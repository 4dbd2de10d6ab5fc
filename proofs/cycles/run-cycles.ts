import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../conformance/core/random.ts';
import { startCycledService } from './cycled-service.ts';
import { oneCycle } from './one-cycle.ts';

/** What is to be done. */
export interface CyclesOptions {
  readonly cycles: number;
  /** The same seed draws the same things in the same order; what else the machine does still decides when. */
  readonly seed: number;
  /** No cycle is begun after this time. @defaultValue all are done */
  readonly minutes?: number;
  /** Told after each cycle. @defaultValue nobody is */
  readonly progress?: (done: number, faults: number) => void;
}

/** What was done and found. */
export interface CyclesResult {
  readonly done: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Sentences, one for each thing that was wrong. */
  readonly faults: readonly string[];
  /** How long it took until the clients of a killed browser knew, in milliseconds. */
  readonly noticedMs: readonly number[];
}

/** Sends browsers of a service through lives that end in a stop, one after the other; the service and its folder are gone afterwards. */
export async function runCycles({ cycles, seed, minutes, progress }: CyclesOptions): Promise<CyclesResult> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'svc-cycles-'));
  chmodSync(dataFolder, 0o711);
  const service = await startCycledService(dataFolder);
  const [counts, faults, noticedMs] = [new Map<string, number>(), new Array<string>(), new Array<number>()];
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const random = createRandom(seed);
  const until = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  let done = 0;
  try {
    for (; done < cycles && performance.now() < until; done += 1) {
      faults.push(...(await oneCycle({ service, random, count, noticed: (ms) => void noticedMs.push(ms) })));
      progress?.(done + 1, faults.length);
    }
  } finally {
    await service.stop();
    faults.push(...service.folders().map((name) => `folder ${name} is left after the service`));
    rmSync(dataFolder, { recursive: true });
  }
  return { done, counts, faults, noticedMs };
}
