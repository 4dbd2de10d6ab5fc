import { setTimeout } from 'node:timers/promises';
import { findChromium } from '../../src/browsers/launch/find-chromium.ts';
import { chooseChromiumAccount } from '../../src/browsers/launch/chromium-account.ts';
import { type BareChromium, startBare } from '../bare-chromium.ts';
import { measure } from '../measure.ts';
import type { BenchRow } from '../table/bench-row.ts';
import { createBrowser, type ServiceAccess, stopBrowser } from '../service-access.ts';

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

/** Returns functions that start and end a bare Chromium. */
async function bareStarts(folder: string): Promise<{ start: () => Promise<void>; end: () => Promise<void> }> {
  const log = { info: () => undefined, warn: () => undefined };
  const binary = await findChromium();
  const { user: account } = await chooseChromiumAccount({ binary, directory: folder, sharedMemoryOnDisk: false, log });
  let bare: BareChromium | null = null;
  let count = 0;
  return {
    async start() {
      count += 1;
      bare = await startBare({ directory: folder, name: `bare-${count}`, account });
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

/** Waits until the service reports a ready browser; the wait is not measured. */
async function untilReady({ address }: ServiceAccess): Promise<void> {
  for (;;) {
    const answer: unknown = await (await fetch(`${address}/readyz`)).json();
    if (JSON.stringify(answer).includes('"ready":1')) return;
    await setTimeout(lookAgainMs);
  }
}
