import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { growing, soakPage, type SoakResult } from './soak-page.ts';
import { setTimeout } from 'node:timers/promises';
import { type FuzzedService, startFuzzedService } from '../fuzz/fuzzed-service.ts';
import { type Held, measureHeld } from '../fuzz/measure-held.ts';
import { settle } from '../fuzz/settle.ts';
import { type Deeds, soakClient } from './soak-client.ts';

/** Options of the proof. */
export interface ProveSoakOptions {
  /** Duration; Infinity for the default of half an hour. */
  readonly minutes: number;
}

const usualMinutes = 30;
const usualWindows = 60;

/** Uses a service for half an hour and writes docs/evidence/soak.md; false when a fault or growth was found. */
export async function proveSoak({ minutes: wanted }: ProveSoakOptions): Promise<boolean> {
  const minutes = Number.isFinite(wanted) ? wanted : usualMinutes;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const result = await runSoak({ minutes, windows: usualWindows, progress: console.log });
  const day = new Date().toISOString().slice(0, 10);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/soak.md', soakPage(result, { commit, day, minutes, load: loadavg()[0] ?? Number.NaN }));
  return result.faults.length === 0 && growing(result.held).length === 0;
}

/** Duration and number of windows. */
export interface SoakOptions {
  readonly minutes: number;
  /** Number of windows; after each the service is measured at rest. */
  readonly windows: number;
  readonly progress: (line: string) => void;
}

const clients = 8;

/**
 * Uses a service window by window. Between two windows it ends everything, advances the clock by 40 days, and measures
 * the held resources.
 */
async function runSoak({ minutes, windows, progress }: SoakOptions): Promise<SoakResult> {
  const service = await startFuzzedService();
  const deeds: Deeds = { requests: 0, faults: [] };
  const held: Held[] = [];
  try {
    for (let window = 0; window < windows && deeds.faults.length === 0; window += 1) {
      await useFor((minutes * 60_000) / windows, service, deeds);
      await settle(service);
      held.push(await measureHeld(service, deeds.requests));
      progress(`window ${window + 1} of ${windows}: ${deeds.requests} requests, heap ${held.at(-1)?.heapBytes}`);
    }
    return { requests: deeds.requests, faults: [...deeds.faults, ...service.errors], held };
  } finally {
    await service.stop();
  }
}

async function useFor(ms: number, service: FuzzedService, deeds: Deeds): Promise<void> {
  const over = new AbortController();
  const work = Array.from({ length: clients }, () => soakClient(service.call, deeds, over.signal));
  await setTimeout(ms);
  over.abort();
  await Promise.all(work);
}
