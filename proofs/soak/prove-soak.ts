import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { type FuzzedService, startFuzzedService } from '../fuzz/fuzzed-service.ts';
import { type Held, measureHeld } from '../fuzz/measure-held.ts';
import { settle } from '../fuzz/settle.ts';
import { isJsonObject, toText } from '#conformance/core/json.ts';
import type { CallService, ServiceAnswer } from '../service/call-service.ts';
import { currentCommit, getMedian } from '../../tools/measure/evidence.ts';

/** Options of the proof. */
interface ProveSoakOptions {
  /** Duration of the run in minutes; Infinity for the default of half an hour. */
  readonly minutes: number;
}

const usualMinutes = 30;
const usualWindows = 60;

/**
 * Sends load to a service for the given minutes and writes docs/evidence/soak.md. Returns false when a fault or growth
 * was found.
 */
export async function proveSoak({ minutes: wanted }: ProveSoakOptions): Promise<boolean> {
  const minutes = Number.isFinite(wanted) ? wanted : usualMinutes;
  const commit = currentCommit();
  const result = await runSoak({ minutes, windows: usualWindows, progress: console.log });
  const day = new Date().toISOString().slice(0, 10);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/soak.md', soakPage(result, { commit, day, minutes, load: loadavg()[0] ?? Number.NaN }));
  return result.faults.length === 0 && growing(result.held).length === 0;
}

/** Options of a soak run. */
interface SoakOptions {
  readonly minutes: number;
  /** Number of windows. After each window the idle service is measured. */
  readonly windows: number;
  readonly progress: (line: string) => void;
}

const clients = 8;

/**
 * Sends load to a service for `windows` windows; stops early after a window with a fault. After each window, ends all
 * work, advances the clock by 40 days, and measures the held resources.
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

/** Number of requests, and faults, of all clients. */
interface Deeds {
  requests: number;
  /** Responses with a status of 400 or above, one sentence each; at most `faultsMax`. */
  readonly faults: string[];
}

const pollMs = 50;
const faultsMax = 20;

/** Creates, uses and deletes sessions, runs, browsers, workspaces and profiles in a loop until the signal aborts. */
async function soakClient(call: CallService, deeds: Deeds, signal: AbortSignal): Promise<void> {
  const counted: CallService = async (...request) => {
    const answer = await call(...request);
    deeds.requests += 1;
    if (answer.status >= 400 && deeds.faults.length < faultsMax)
      deeds.faults.push(`${request[0]} ${request[1]} was answered ${answer.status}: ${JSON.stringify(answer.json)}`);
    return answer;
  };
  for (let turn = 0; !signal.aborted; turn += 1) await lives[turn % lives.length]?.(counted);
}

const lives: readonly ((call: CallService) => Promise<void>)[] = [
  async (call) => {
    const id = getId(await call('POST', 'v3/sessions', { task: 'Say hello', keepAlive: true }));
    await until(call, `v3/sessions/${id}`, ({ status }) => status === 'idle');
    await call('POST', 'v3/sessions', { sessionId: id, task: 'Say it again' });
    await until(call, `v3/sessions/${id}`, ({ status }) => status === 'idle');
    await call('GET', `v3/sessions/${id}/messages`);
    await call('POST', `v3/sessions/${id}/stop`);
    await call('DELETE', `v3/sessions/${id}`);
  },
  async (call) => {
    const run = await call('POST', 'v4/runs', { task: 'Say hello' });
    const id = getId(run);
    await until(call, `v4/runs/${id}`, ({ status }) => status === 'completed');
    await call('GET', `v4/runs/${id}/events`);
    await call('DELETE', `v4/sessions/${getId(run, 'sessionId')}`);
  },
  async (call) => {
    const task = await call('POST', 'v2/tasks', { task: 'Say hello' });
    await until(call, `v2/tasks/${getId(task)}`, ({ status }) => status === 'finished');
    await call('DELETE', `v2/sessions/${getId(task, 'sessionId')}`);
  },
  async (call) => {
    const id = getId(await call('POST', 'v4/browsers', {}));
    await call('GET', `v4/browsers/${id}`);
    await call('PATCH', `v4/browsers/${id}`, { action: 'stop' });
  },
  async (call) => {
    const workspace = getId(await call('POST', 'v4/workspaces', {}));
    const profile = getId(await call('POST', 'v4/profiles', {}));
    for (const list of ['v2/tasks', 'v3/sessions', 'v4/runs', 'v4/browsers', 'v4/profiles']) await call('GET', list);
    await call('DELETE', `v4/workspaces/${workspace}`);
    await call('DELETE', `v4/profiles/${profile}`);
  },
];

function getId({ json }: ServiceAnswer, member = 'id'): string {
  return isJsonObject(json) ? toText(json[member]) : '';
}

async function until(
  call: CallService,
  path: string,
  isThere: (record: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  for (;;) {
    const { status, json } = await call('GET', path);
    if (status !== 200 || (isJsonObject(json) && isThere(json))) return;
    await setTimeout(pollMs);
  }
}

/** Result of a soak run. */
interface SoakResult {
  readonly requests: number;
  readonly faults: readonly string[];
  /** Measurements of the idle service, one after each window. */
  readonly held: readonly Held[];
}

/** Commit, day, duration and load of the run. */
interface SoakFacts {
  readonly commit: string;
  readonly day: string;
  readonly minutes: number;
  /** Load average of the machine at the end of the run. */
  readonly load: number;
}

const mebibyte = 1024 * 1024;

/** Names and values of the figures that are judged for growth. */
const figures: readonly { readonly name: string; readonly of: (held: Held) => number }[] = [
  { name: 'heap (MiB)', of: ({ heapBytes }) => heapBytes / mebibyte },
  { name: 'resident memory (MiB)', of: ({ residentBytes }) => residentBytes / mebibyte },
  { name: 'active resources', of: ({ resources }) => resources },
  { name: 'descriptors', of: ({ descriptors }) => descriptors },
  { name: 'files', of: ({ files }) => files },
];
/** Share of the windows, from the first, that is excluded from trends, because the first windows load code. */
const beginning = 0.1;

/** Returns the names of growing figures. */
function growing(held: readonly Held[]): string[] {
  return getTrends(held).flatMap(({ name, trend }) => (isGrowth(trend) ? [name] : []));
}

/** Returns the text of docs/evidence/soak.md. */
function soakPage({ requests, faults, held }: SoakResult, { commit, day, minutes, load }: SoakFacts): string {
  const grown = growing(held);
  const trends = getTrends(held).map(
    ({ name, values, trend }) =>
      `| ${name} | ${shown(values[0])} | ${shown(values.at(-1))} | ${trend.perWindow.toPrecision(2)} | ${(trend.share * 100).toFixed(1)} % | ${trend.certainty.toFixed(1)} | ${isGrowth(trend) ? 'GROWS' : 'no'} |`,
  );
  const windows = held.map(
    (one, n) => `| ${n + 1} | ${one.after} | ${figures.map(({ of }) => shown(of(one))).join(' | ')} |`,
  );
  return `# Soak

Written by \`npm run long -- soak --minutes ${minutes}\` on commit ${commit}, ${day}; load of the machine at the end ${load.toFixed(1)}.

${requests} requests in ${held.length} windows, 8 clients at once, to \`svc serve --hosts simulated\`: sessions with follow-ups, runs, tasks, browsers, workspaces, profiles
and lists. After each window the proof ends and deletes every resource, moves the clock by 40 days, and measures the rest after a garbage collection. ${faults.length} faults. ${grown.length === 0 ? 'Nothing grows.' : `**Grows: ${grown.join(', ')}.**`}

A figure grows if it rises significantly (Mann-Kendall test, certainty above 2.33), by more than 3 % of its median over the run (median of the slopes
between all pairs of windows). The first tenth of the windows does not count, because the service then loads code for the first time.

| Figure | First | Last | Per window | Over the run | Certainty | Grows |
| --- | --- | --- | --- | --- | --- | --- |
${trends.join('\n')}
${faults.length === 0 ? '' : `\n## Faults\n\n${faults.map((fault) => `- ${fault}`).join('\n')}\n`}
## Every window

| Window | Requests | ${figures.map(({ name }) => name).join(' | ')} |
| --- | --- |${figures.map(() => ' --- |').join('')}
${windows.join('\n')}
`;
}

function getTrends(held: readonly Held[]): { name: string; values: number[]; trend: Trend }[] {
  const judged = held.slice(Math.ceil(held.length * beginning));
  return figures.map(({ name, of }) => {
    const values = judged.map(of);
    return { name, values, trend: getTrend(values) };
  });
}

function shown(value: number | undefined): string {
  return value === undefined ? '-' : Number(value.toFixed(1)).toString();
}

/** Trend of a figure over windows of equal work. */
interface Trend {
  /**
   * Gain per window: the median of the slopes between all pairs of windows (Theil-Sen estimator), which is robust
   * against outliers.
   */
  readonly perWindow: number;
  /** Gain over all windows, relative to the median of the figure. */
  readonly share: number;
  /** Statistic of the Mann-Kendall test for a rise. By chance alone it exceeds 2.33 in one of a hundred cases. */
  readonly certainty: number;
}

const surely = 2.33;
/** Maximum relative gain of a figure that does not count as growth. */
const negligible = 0.03;

/** Returns the trend of a measurement over its time windows. With fewer than three windows, the certainty is 0. */
export function getTrend(values: readonly number[]): Trend {
  const pairs = values.flatMap((value, from) =>
    values.slice(from + 1).map((later, ahead) => ({ rise: later - value, windows: ahead + 1 })),
  );
  const perWindow = getMedian(pairs.map(({ rise, windows }) => rise / windows));
  const sum = pairs.reduce((signs, { rise }) => signs + Math.sign(rise), 0);
  const count = values.length;
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const certainty = sum === 0 ? 0 : (sum - Math.sign(sum)) / deviation;
  // With a median of zero, a gain yields infinity. No gain always yields zero.
  const share = perWindow === 0 ? 0 : (perWindow * (count - 1)) / getMedian(values);
  return { perWindow, share, certainty };
}

/** Returns true if a measurement grows: the increase is statistically certain and not negligible. */
export function isGrowth({ share, certainty }: Trend): boolean {
  return certainty > surely && share > negligible;
}
