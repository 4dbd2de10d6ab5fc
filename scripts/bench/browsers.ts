import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findChromium } from '../../src/backend/browsers/find-chromium.ts';
import { browserFolder, createBrowserFolder } from '../../src/backend/browsers/launch/browser-folder.ts';
import { chromiumFlags } from '../../src/backend/browsers/launch/chromium-flags.ts';
import { type ChromiumProcess, spawnChromium } from '../../src/backend/browsers/launch/spawn-chromium.ts';
import { CdpMux } from '../../src/backend/browsers/pipe/cdp-mux.ts';
import { type DevTools, connectDevTools } from './dev-tools.ts';
import { type Measured, measure } from './measure.ts';
import { answerOf, idOf } from './requests.ts';

const portAttempts = 100;
const portIntervalMs = 50;
const launches = 3;
const launchRounds = 5;
const trips = 200;
const tripRounds = 10;

/** Where the service is, and the key for it. */
export interface ServiceAccess {
  readonly address: string;
  readonly key: string;
}

/** Creation of a browser against a bare start of the same Chromium, and round trips against a direct connection to it. */
export async function benchBrowsers(service: ServiceAccess): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  chmodSync(folder, 0o711);
  try {
    const created: string[] = [];
    const bare: ChromiumProcess[] = [];
    const start = await measure({
      name: 'creation of a browser / bare Chromium',
      subject: async () => created.push((await createBrowser(service)).id),
      baseline: async () => bare.push(await startBare(folder, `${bare.length}`, [])),
      calls: launches,
      rounds: launchRounds,
    });
    for (const id of created) await stopBrowser(service, id);
    await endAll(bare);
    return [start, ...(await benchTrips(service, folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchTrips(service: ServiceAccess, folder: string): Promise<Measured[]> {
  const browser = await createBrowser(service);
  const bare = await startBare(folder, 'direct', ['--remote-debugging-port=0']);
  const through = await connectDevTools(browser.cdpUrl);
  const direct = await connectDevTools(
    await addressOf(join(browserFolder(folder, 'direct').profile, 'DevToolsActivePort')),
  );
  try {
    return [
      await trip('Browser.getVersion', { through, direct }),
      await trip('Target.getTargets', { through, direct }),
    ];
  } finally {
    through.close();
    direct.close();
    await stopBrowser(service, browser.id);
    await endAll([bare]);
  }
}

function trip(method: string, { through, direct }: { through: DevTools; direct: DevTools }): Promise<Measured> {
  return measure({
    name: `CDP ${method}: gateway / direct`,
    subject: () => through.send(method),
    baseline: () => direct.send(method),
    calls: trips,
    rounds: tripRounds,
  });
}

async function createBrowser({ address, key }: ServiceAccess): Promise<{ id: string; cdpUrl: string }> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const body = await answerOf(`${address}/api/v4/browsers`, { method: 'POST', headers, body: '{}' }, 201);
  const cdpUrl = typeof body === 'object' && body !== null && 'cdpUrl' in body ? String(body.cdpUrl) : '';
  return { id: idOf(body), cdpUrl };
}

async function stopBrowser({ address, key }: ServiceAccess, id: string): Promise<void> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const stop = { method: 'PATCH', headers, body: JSON.stringify({ action: 'stop' }) };
  await answerOf(`${address}/api/v4/browsers/${id}`, stop, 200);
}

/** The barest start there is: the same binary with the same flags, until it answers. */
async function startBare(directory: string, name: string, more: readonly string[]): Promise<ChromiumProcess> {
  mkdirSync(directory, { recursive: true });
  const folder = browserFolder(directory, name);
  await createBrowserFolder(folder, null);
  const options = { profile: folder.profile, screen: { width: 1280, height: 800 }, proxyPort: 9, sandbox: false };
  const flags = [...chromiumFlags({ ...options, sharedMemoryOnDisk: false }), ...more];
  const chromium = await spawnChromium({ binary: await findChromium(), folder, flags, uid: null });
  await new CdpMux(chromium.pipe).command('Browser.getVersion');
  return chromium;
}

async function endAll(browsers: readonly ChromiumProcess[]): Promise<void> {
  for (const browser of browsers) browser.kill();
  await Promise.all(browsers.map((browser) => browser.gone));
}

/** Chromium writes its port and path there once it listens. */
async function addressOf(file: string): Promise<string> {
  for (let attempt = 0; attempt < portAttempts; attempt += 1) {
    if (existsSync(file)) {
      const [port, path] = readFileSync(file, 'utf8').split('\n');
      return `ws://127.0.0.1:${port}${path}`;
    }
    await setTimeout(portIntervalMs);
  }
  throw new Error(`Chromium wrote no ${file}`);
}
