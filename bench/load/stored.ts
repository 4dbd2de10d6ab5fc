import { join } from 'node:path';
import { type StoredRequest, storedRequests, getTimes } from './stored-requests.ts';
import { type Stored, openStored, storedKinds } from './stored-service.ts';

const [small, large] = [1_000, 1_000_000];
const calls = 200;
const rounds = 3;
const metricsCalls = 4;
const goal = 1.3;

/**
 * Measures polls, first pages, creations, metrics and the searches of retention with a million and with a thousand
 * stored sessions. Returns a heading, and for each measured operation one line with both times (the 99th percentile for
 * API requests) and their quotient.
 */
export async function benchStored(folder: string): Promise<string[]> {
  await using owned = new AsyncDisposableStack();
  const both: Stored[] = [];
  for (const sessions of [small, large]) {
    const stored = await openStored(join(folder, String(sessions)), sessions);
    owned.defer(() => stored.service.stop());
    both.push(stored);
  }
  const [few, many] = both;
  if (few === undefined || many === undefined) throw new Error('two services are compared');
  const lines = [`p99 with ${many.sessions} stored sessions / with ${few.sessions} (goal ${goal})`];
  for (const request of storedRequests) lines.push(await compare(request, few, many));
  lines.push(await compareMetrics(few, many));
  for (const kind of storedKinds)
    lines.push(getLine(`retention finds no old ${kind}`, few.findMs.get(kind) ?? 0, many.findMs.get(kind) ?? 0));
  return lines;
}

async function compare(request: StoredRequest, few: Stored, many: Stored): Promise<string> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, stored] of [few, many].entries()) {
      const taken = await getTimes(request, stored, calls);
      // The first round is a warm-up.
      if (round > 0) times[index]?.push(...taken);
    }
  return getLine(request.name, p99(times[0]), p99(times[1]));
}

async function compareMetrics(few: Stored, many: Stored): Promise<string> {
  const getTime = async ({ service }: Stored): Promise<number> => {
    const times: number[] = [];
    for (let call = 0; call < metricsCalls; call += 1) {
      const begun = performance.now();
      await (await fetch(`${service.metrics}/metrics`)).text();
      times.push(performance.now() - begun);
    }
    return times.toSorted((one, other) => one - other)[metricsCalls / 2] ?? 0;
  };
  return getLine('metrics (median)', await getTime(few), await getTime(many));
}

function getLine(name: string, fewMs: number, manyMs: number): string {
  const ratio = manyMs / fewMs;
  return `${name.padEnd(42)} ${ratio.toFixed(2).padStart(8)}   (${manyMs.toFixed(2)} ms / ${fewMs.toFixed(2)} ms)${ratio > goal ? '  over the goal' : ''}`;
}

function p99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
}
