import { currentCommit } from '../../tools/measure/evidence.ts';
import { mkdirSync, writeFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { table } from '../../tools/pages/markdown.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '#conformance/core/random.ts';
import { startCycledService } from './cycled-service.ts';
import { oneCycle } from './one-cycle.ts';

/**
 * Runs the browser cycles and writes docs/evidence/cycles.md. Returns false when a fault was found, or when the time
 * limit was reached before all cycles were done.
 */
export async function proveCycles({ cycles, seed, minutes }: Omit<CyclesOptions, 'progress'>): Promise<boolean> {
  console.log(`${cycles} cycles with seed ${seed}: npm run long -- cycles --cycles ${cycles} --seed ${seed}`);
  const progress = (done: number, faults: number): void => console.log(`${done} of ${cycles}, ${faults} faults`);
  const begun = performance.now();
  const result = await runCycles({ cycles, seed, progress, ...(minutes === undefined ? {} : { minutes }) });
  for (const fault of result.faults) console.error(fault);
  writePage(result, { seed, seconds: Math.round((performance.now() - begun) / 1000) });
  return result.done === cycles && result.faults.length === 0;
}

function writePage(
  { done, counts, faults, noticedMs }: CyclesResult,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): void {
  const commit = currentCommit();
  const slowest = Math.round(Math.max(0, ...noticedMs));
  const text = [
    '# Cycles',
    `Written by \`npm run long -- cycles --cycles ${done} --seed ${seed}\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    `${done} browsers of \`svc serve\` were created, used and stopped. At random points their clients disconnected, and some browsers were killed, some of them together with their service; ${faults.length} faults in ${seconds} s. A fault is a process, folder or URL that remains when the stop is answered, a second stop that changes the record, and a bill that is not exactly the time in whole minutes, rounded up.`,
    `${noticedMs.length} browsers were killed while a client was connected; the slowest of these clients noticed it after ${slowest} ms.`,
    table(
      ['What happened', 'Times'],
      [...counts]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : ['## Faults', faults.map((fault) => `- ${fault}`).join('\n')]),
  ].join('\n\n');
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/cycles.md', `${text}\n`);
}

/** Options of the browser cycles. */
export interface CyclesOptions {
  readonly cycles: number;
  /** Equal seeds yield equal actions in equal order; their timing depends on the machine. */
  readonly seed: number;
  /** Minutes after which no further cycle begins. @defaultValue no limit */
  readonly minutes?: number;
  /** Called after each cycle. @defaultValue not called */
  readonly progress?: (done: number, faults: number) => void;
}

/** Result of the browser cycles. */
export interface CyclesResult {
  readonly done: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Violations that the cycles found, one sentence each. */
  readonly faults: readonly string[];
  /** Times from the kill of a browser to the end of the last connection of its clients, in milliseconds. */
  readonly noticedMs: readonly number[];
}

/** Creates, uses and stops browsers of one service repeatedly. Stops the service and removes its folder afterwards. */
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
