import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { table } from '../../tools/pages/markdown.ts';
import { type InterruptsOptions, type InterruptsResult, runInterrupts } from './run-interrupts.ts';

type Wanted = Omit<InterruptsOptions, 'progress' | 'lanes'> & { readonly jobs: number };

/** Interrupts tasks and writes docs/evidence/interrupts.md; false when a run saw an effect of the previous one. */
export async function proveInterrupts({ interrupts, seed, minutes, jobs }: Wanted): Promise<boolean> {
  const lanes = jobs * 2;
  const command = `npm run long -- interrupts --interrupts ${interrupts} --seed ${seed} --jobs ${jobs}${minutes === undefined || minutes === Number.POSITIVE_INFINITY ? '' : ` --minutes ${minutes}`}`;
  console.log(command);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const begun = performance.now();
  const bounds = minutes === undefined ? {} : { minutes };
  const result = await runInterrupts({ interrupts, seed, lanes, ...bounds, progress: console.log });
  const seconds = Math.round((performance.now() - begun) / 1000);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/interrupts.md', interruptsPage(result, { command, commit, lanes, seconds }));
  console.log(`${result.done} interrupts, ${result.faults.length} faults: docs/evidence/interrupts.md`);
  return result.done === interrupts && result.faults.length === 0;
}

interface Ran {
  readonly command: string;
  readonly commit: string;
  readonly lanes: number;
  readonly seconds: number;
}

function interruptsPage(result: InterruptsResult, { command, commit, lanes, seconds }: Ran): string {
  const { done, early, requests, counts, faults, answeredMs, followedMs } = result;
  const text = [
    '# Interrupts',
    `Written by \`${command}\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    `${done} tasks of a service with real Chromium were ended at random moments, in ${lanes} sessions at a time; ` +
      `${faults.length} faults in ${seconds} s. ${early} of the tasks had come to their end before.`,
    'Every task works on a slow web server that keeps which run caused each of its requests ' +
      `(${requests} in all, calls of the model provider included). The run behind it visits a marked page. A fault is: ` +
      'a marked page that is not reached, or shows an input or event of others; a file that the run did not download; ' +
      'a request of the earlier run that comes after the first one of the next run, or is still pending then.',
    `An end was answered after ${spread(answeredMs)}. The run behind it took ${spread(followedMs)} from its request to its end.`,
    table(
      ['What was interrupted, and how', 'Times'],
      [...counts]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : ['## Faults', faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
  return `${text.join('\n\n')}\n`;
}

/** Formats median, 95th percentile and maximum. */
function spread(times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (maximum)`;
}
