import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { runSchedules, type ScheduleKillsResult } from './run-schedules.ts';

/**
 * Kills a service while schedules are due and writes docs/evidence/schedules.md. Returns false when a fault was found.
 */
export async function proveSchedules({ kills, seed }: { kills: number; seed: number }): Promise<boolean> {
  const command = `npm run long -- schedules --kills ${kills} --seed ${seed}`;
  console.log(command);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const begun = performance.now();
  const result = await runSchedules({ kills, seed, progress: console.log });
  const seconds = Math.round((performance.now() - begun) / 1000);
  const day = new Date().toISOString().slice(0, 10);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/schedules.md', schedulesPage(result, { command, commit, day, seconds }));
  for (const fault of result.faults) console.log(`  ${fault}`);
  return result.faults.length === 0;
}

interface Run {
  readonly command: string;
  readonly commit: string;
  readonly day: string;
  readonly seconds: number;
}

function schedulesPage(result: ScheduleKillsResult, { command, commit, day, seconds }: Run): string {
  const { kills, singles, repeated, starts, late, faults } = result;
  return `${[
    '# Scheduled tasks under kills',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `${kills} times \`kill -9\` of the service at a random moment while scheduled tasks were due; ${faults.length} faults in ${seconds} s.`,
    `${singles} single times were acknowledged, each due within 9 s, and ${repeated} schedules ran every minute. The service recorded ${starts} starts; ${late} of them began more than 6 s after their time, because no process ran.`,
    'A fault is: a single time that did not start, or started more than once; a minute without a start that was later than the start before it; a start without exactly one session and one run; a run without a start; a session that has not ended; a refused start; books that do not add up (a run begun or completed twice included); a process, folder or bytes that are left.',
    ...(faults.length === 0 ? [] : [faults.map((fault) => `- ${fault}`).join('\n')]),
  ].join('\n\n')}\n`;
}
