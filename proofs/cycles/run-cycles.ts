import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../conformance/core/random.ts';
import { startCycledService } from './cycled-service.ts';
import { oneCycle } from './one-cycle.ts';

/** Options of the cycles. */
export interface CyclesOptions {
  readonly cycles: number;
  /** Equal seeds yield equal actions in equal order; their timing depends on the machine. */
  readonly seed: number;
  /** Time after which no cycle begins. @defaultValue no limit */
  readonly minutes?: number;
  /** Called after each cycle. @defaultValue not called */
  readonly progress?: (done: number, faults: number) => void;
}

/** Result of the cycles. */
export interface CyclesResult {
  readonly done: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Violations, one sentence each. */
  readonly faults: readonly string[];
  /** Time until the clients of a killed browser noticed, in milliseconds. */
  readonly noticedMs: readonly number[];
}

/** Runs browsers of one service through cycles that end in a stop; removes the service and its folder afterwards. */
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
