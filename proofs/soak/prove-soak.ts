import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { runSoak } from './run-soak.ts';
import { growing, soakPage } from './soak-page.ts';

/** How long it goes on. */
export interface ProveSoakOptions {
  /** Infinite where nobody has said: then half an hour. */
  readonly minutes: number;
}

const usualMinutes = 30;
const windows = 60;

/** Uses a service for half an hour and writes docs/evidence/soak.md; false when something was wrong or grew. */
export async function proveSoak({ minutes: wanted }: ProveSoakOptions): Promise<boolean> {
  const minutes = Number.isFinite(wanted) ? wanted : usualMinutes;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const result = await runSoak({ minutes, windows, progress: console.log });
  const day = new Date().toISOString().slice(0, 10);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/soak.md', soakPage(result, { commit, day, minutes, load: loadavg()[0] ?? Number.NaN }));
  return result.faults.length === 0 && growing(result.held).length === 0;
}
