import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { browserFolder } from '../../src/backend/browsers/launch/browser-folder.ts';
import { startBare } from './bare-chromium.ts';
import { type DevTools, type DevToolsCommand, connectDevTools } from './dev-tools.ts';
import { type Measured, measure } from './measure.ts';
import { createBrowser, type ServiceAccess, stopBrowser } from './service-access.ts';

const portAttempts = 100;
const portIntervalMs = 50;
const trips = 200;
const tripRounds = 10;
const large = '"x".repeat(10_000_000)';
const larges = 5;

/** Round trips through the gateway against a direct connection to the same Chromium. */
export async function benchBrowsers(service: ServiceAccess): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  chmodSync(folder, 0o711);
  try {
    return await benchTrips(service, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchTrips(service: ServiceAccess, folder: string): Promise<Measured[]> {
  const browser = await createBrowser(service);
  const account = { uid: null, sandbox: false };
  const bare = await startBare({ directory: folder, name: 'direct', account, more: ['--remote-debugging-port=0'] });
  const through = await connectDevTools(browser.cdpUrl);
  const direct = await connectDevTools(
    await addressOf(join(browserFolder(folder, 'direct').profile, 'DevToolsActivePort')),
  );
  try {
    return [
      await trip('Browser.getVersion', { through, direct }),
      await trip('Target.getTargets', { through, direct }),
      await evaluated({ through, direct }),
      await evaluation({ through, direct }),
    ];
  } finally {
    through.close();
    direct.close();
    await stopBrowser(service, browser.id);
    await bare.end();
  }
}

interface Both {
  readonly through: DevTools;
  readonly direct: DevTools;
}

function trip(method: string, { through, direct }: Both): Promise<Measured> {
  return measure({
    name: `CDP ${method}: gateway / direct`,
    subject: () => through.send({ method }),
    baseline: () => direct.send({ method }),
    calls: trips,
    rounds: tripRounds,
  });
}

/** A trip into a page and back, as most commands of a client are. */
async function evaluated({ through, direct }: Both): Promise<Measured> {
  const [ours, bare] = [await evaluate(through, '1 + 1'), await evaluate(direct, '1 + 1')];
  return measure({
    name: 'CDP Runtime.evaluate: gateway / direct',
    subject: () => through.send(ours),
    baseline: () => direct.send(bare),
    calls: trips,
    rounds: tripRounds,
  });
}

/** Time for one large answer; the inverse of the ratio is the ratio of throughputs. */
async function evaluation({ through, direct }: Both): Promise<Measured> {
  const [ours, bare] = [await evaluate(through, large), await evaluate(direct, large)];
  return measure({
    name: 'CDP 10 MB evaluate: gateway / direct',
    subject: () => through.send(ours),
    baseline: () => direct.send(bare),
    calls: larges,
    rounds: tripRounds,
  });
}

/** The command that evaluates an expression on a session of the first page. */
async function evaluate(client: DevTools, expression: string): Promise<DevToolsCommand> {
  const pages = await client.send({ method: 'Target.getTargets' });
  const targetId = 'targetInfos' in pages && Array.isArray(pages.targetInfos) ? pageOf(pages.targetInfos) : '';
  const attached = await client.send({ method: 'Target.attachToTarget', params: { targetId, flatten: true } });
  const sessionId = 'sessionId' in attached ? String(attached.sessionId) : '';
  const params = { expression, returnByValue: true };
  return { method: 'Runtime.evaluate', params, sessionId };
}

function pageOf(targets: readonly { readonly type?: unknown; readonly targetId?: unknown }[]): string {
  return String(targets.find(({ type }) => type === 'page')?.targetId);
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
