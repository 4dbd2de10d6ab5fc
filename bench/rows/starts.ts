import { setTimeout } from 'node:timers/promises';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { chooseChromiumAccount } from '#browsers/launch/chromium-account.ts';
import { type BareChromium, startBareChromium } from '../bare-chromium.ts';
import { measure } from '../measure.ts';
import type { BenchRow } from '../table/bench-row.ts';
import { createBrowser, type ServiceAccess, stopBrowser } from '../service-access.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endProgram } from '../run-program.ts';

const calls = 3;
const lookAgainMs = 20;

/** Creation of a browser, cold and from the warm pool, against a start of the same Chromium with the same account. */
export const starts: BenchRow = {
  ids: ['cold-browser', 'warm-browser'],
  async measure(stage) {
    const cold = await stage.service('local', '--sessions-max', '100');
    const { start, end } = await bareStarts(stage.folder('bare-starts'));
    const pair = { baseline: start, afterBaseline: end, calls, rounds: stage.rounds };
    const coldTimes = await measure({ ...pair, ...getCreation(cold) });
    const warm = await stage.service('warm', '--warm', '1');
    const warmTimes = await measure({ ...pair, ...getCreation(warm), beforeSubject: () => untilReady(warm) });
    await stage.end('warm');
    return [
      { id: 'cold-browser', ...coldTimes },
      { id: 'warm-browser', ...warmTimes },
    ];
  },
};

/** Returns one function that starts a bare Chromium, and one that ends the last started Chromium. */
async function bareStarts(folder: string): Promise<{ start: () => Promise<void>; end: () => Promise<void> }> {
  const log = { info: () => undefined, warn: () => undefined };
  const binary = await findChromium();
  const { user: account } = await chooseChromiumAccount({ binary, directory: folder, sharedMemoryOnDisk: false, log });
  let bare: BareChromium | null = null;
  let count = 0;
  return {
    async start() {
      count += 1;
      bare = await startBareChromium({ directory: folder, name: `bare-${count}`, account });
    },
    end: async () => bare?.end(),
  };
}

function getCreation(service: ServiceAccess): { subject(): Promise<void>; afterSubject(): Promise<void> } {
  let id = '';
  return {
    subject: async () => void ({ id } = await createBrowser(service)),
    afterSubject: () => stopBrowser(service, id),
  };
}

/** Waits until the warm pool of the service has a browser; the wait is not measured. */
async function untilReady({ address }: ServiceAccess): Promise<void> {
  for (;;) {
    const answer: unknown = await (await fetch(`${address}/readyz`)).json();
    if (JSON.stringify(answer).includes('"ready":1')) return;
    await setTimeout(lookAgainMs);
  }
}

const key = 'svc_start';

/**
 * Time from the start of a process to its first response: the backend, with its default browsers and an existing data
 * folder, against an empty Fastify server. Each round starts both. The backend reuses code that its first, unmeasured
 * start has compiled.
 */
export const start: BenchRow = {
  ids: ['start'],
  async measure(stage) {
    const folder = stage.folder('start');
    const backend = ['bin/svc.mjs', 'serve', '--port', '0', '--data', folder, '--bootstrap-key', key];
    const bare = [join(import.meta.dirname, '../empty-server.ts')];
    const ours: number[] = [];
    const anchor: number[] = [];
    for (let round = 0; round <= stage.rounds; round += 1) {
      const [one, other] = [await getTime(backend), await getTime(bare)];
      // The first start creates the data folder and compiles.
      if (round === 0) continue;
      ours.push(one);
      anchor.push(other);
    }
    return [{ id: 'start', ours, anchor }];
  },
};

async function getTime(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const response = await fetch(`${await getAddress(child)}/healthz`);
    await response.text();
    return performance.now() - begun;
  } finally {
    await endProgram(child);
  }
}

function getAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('a server was started without a way to hear it');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /^listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`a server ended with exit code ${code} before it listened`)));
  });
}
