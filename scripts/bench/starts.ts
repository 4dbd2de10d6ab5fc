import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { findChromium } from '../../src/backend/browsers/find-chromium.ts';
import { chooseChromiumAccount } from '../../src/backend/browsers/launch/choose-chromium-account.ts';
import { type BareChromium, startBare } from './bare-chromium.ts';
import { type Measured, measure } from './measure.ts';
import { createBrowser, type ServiceAccess, stopBrowser } from './service-access.ts';

const calls = 3;
const rounds = 7;
const lookAgainMs = 20;

/** What both services are measured against, and the two services. */
export interface StartsOptions {
  readonly cold: ServiceAccess;
  /** One that keeps a browser ready. */
  readonly warm: ServiceAccess;
  /** A folder to be made for the bare ones. */
  readonly folder: string;
}

/** Creation of a browser, cold and from the warm pool, against a start of the same Chromium as the same user with nothing around it. */
export async function benchStarts({ cold, warm, folder }: StartsOptions): Promise<Measured[]> {
  const log = { info: () => undefined, warn: () => undefined };
  mkdirSync(folder, { mode: 0o711 });
  const binary = await findChromium();
  const { user: account } = await chooseChromiumAccount({ binary, directory: folder, sharedMemoryOnDisk: false, log });
  let bare: BareChromium | null = null;
  let starts = 0;
  const baseline = {
    baseline: async () => {
      starts += 1;
      bare = await startBare({ directory: folder, name: `bare-${starts}`, account });
    },
    afterBaseline: async () => bare?.end(),
  };
  return [
    await measure({ name: 'creation of a browser / bare Chromium', ...creationOf(cold), ...baseline, calls, rounds }),
    await measure({
      name: 'creation of a warm browser / bare',
      ...creationOf(warm),
      beforeSubject: () => untilReady(warm),
      ...baseline,
      calls,
      rounds,
    }),
  ];
}

function creationOf(service: ServiceAccess): { subject(): Promise<void>; afterSubject(): Promise<void> } {
  let id = '';
  return {
    subject: async () => void ({ id } = await createBrowser(service)),
    afterSubject: () => stopBrowser(service, id),
  };
}

/** Waits until the service says that a browser is ready: how long that takes is not what is measured. */
async function untilReady({ address }: ServiceAccess): Promise<void> {
  for (;;) {
    const answer: unknown = await (await fetch(`${address}/readyz`)).json();
    if (JSON.stringify(answer).includes('"ready":1')) return;
    await setTimeout(lookAgainMs);
  }
}
