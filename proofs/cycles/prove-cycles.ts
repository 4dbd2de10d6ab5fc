import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { table } from '../../tools/pages/markdown.ts';
import { type CyclesOptions, type CyclesResult, runCycles } from './run-cycles.ts';

/** Runs the cycles and writes docs/evidence/cycles.md; false when something remained. */
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
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const slowest = Math.round(Math.max(0, ...noticedMs));
  const text = [
    '# Cycles',
    `Written by \`npm run long -- cycles --cycles ${done} --seed ${seed}\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    `${done} browsers of \`svc serve\` were created, used, dropped and killed at random points, some of them together with their service, and stopped; ${faults.length} faults in ${seconds} s. A fault is a process, a folder or an address that is left when the stop is answered, a second stop that changes the record, and a bill that is not exactly the started minutes.`,
    `${noticedMs.length} browsers were killed while a client was connected; the slowest of these clients knew it after ${slowest} ms.`,
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
