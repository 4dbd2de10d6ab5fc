import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { chooseChromiumAccount } from '#browsers/launch/chromium-account.ts';
import { browserFolder } from '#browsers/launch/browser-folder.ts';
import { startBareChromium } from '../bare-chromium.ts';
import { type DevTools, type DevToolsCommand, attachToPage, connectDevTools } from '../dev-tools.ts';
import { measure } from '../measure.ts';
import type { BenchRow, Rounds } from '../table/bench-row.ts';
import type { FigureId } from '../table/goals.ts';
import { endProgram, nextMessage } from '../run-program.ts';
import { createBrowser, stopBrowser } from '../service-access.ts';
import { fork } from 'node:child_process';

const portAttempts = 100;
const portIntervalMs = 50;
const trips = 1_000;
/**
 * Number of rounds in which the gateway is measured for each round of the benchmark. One round is not enough, because
 * the placement of three processes on two processors changes a result by up to a half.
 */
const turns = 5;
/** Number of unmeasured commands before the measurement, so that V8 compiles the code of client and service. */
const warmUp = 10_000;
const large = '"x".repeat(10_000_000)';
const larges = 5;

/**
 * Round trips of commands through the gateway, and through a relay that does not read the commands. Each is compared
 * with a direct connection to another process of the same Chromium. The difference between gateway and relay is the
 * cost of the gateway itself.
 */
export const gateway: BenchRow = {
  ids: [
    'cdp-trip',
    'targets-trip',
    'page-trip',
    'large-answer',
    'relay-cdp-trip',
    'relay-targets-trip',
    'relay-page-trip',
  ],
  async measure(stage) {
    const service = await stage.service('local', '--sessions-max', '100');
    await using owned = new AsyncDisposableStack();
    const folder = stage.folder('direct');
    const log = { info: () => undefined, warn: () => undefined };
    const binary = await findChromium();
    const { user: account } = await chooseChromiumAccount({
      binary,
      directory: folder,
      sharedMemoryOnDisk: false,
      log,
    });
    const bare = await startBareChromium({
      directory: folder,
      name: 'direct',
      account,
      more: ['--remote-debugging-port=0'],
    });
    owned.defer(() => bare.end());
    const connect = async (address: string): Promise<DevTools> => {
      const client = await connectDevTools(address);
      owned.defer(() => client.close());
      return client;
    };
    const direct = await connect(await getAddress(join(browserFolder(folder, 'direct').profile, 'DevToolsActivePort')));
    const browser = await createBrowser(service);
    owned.defer(() => stopBrowser(service, browser.id));
    const ours = { through: await connect(browser.cdpUrl), direct, rounds: stage.rounds * turns };
    const relay = await startRelay(stage.folder('relayed'));
    owned.defer(() => relay.end());
    const bareRelay = { ...ours, through: await connect(relay.address) };
    for (const pair of [ours, bareRelay]) await warm(pair);
    return [
      await trip('cdp-trip', ours, { method: 'Browser.getVersion' }),
      await trip('targets-trip', ours, { method: 'Target.getTargets' }),
      await evaluation('page-trip', ours, { expression: '1 + 1', calls: trips }),
      await evaluation('large-answer', { ...ours, rounds: stage.rounds }, { expression: large, calls: larges }),
      await trip('relay-cdp-trip', bareRelay, { method: 'Browser.getVersion' }),
      await trip('relay-targets-trip', bareRelay, { method: 'Target.getTargets' }),
      await evaluation('relay-page-trip', bareRelay, { expression: '1 + 1', calls: trips }),
    ];
  },
};

interface Both {
  readonly through: DevTools;
  readonly direct: DevTools;
  readonly rounds: number;
}

/**
 * Sends unmeasured commands to the browser and to a page, because the gateway handles commands to a page in another way
 * than commands to the browser.
 */
async function warm({ through, direct }: Both): Promise<void> {
  const version = { method: 'Browser.getVersion' };
  const [intoOurs, intoDirect] = [await evaluate(through, '1 + 1'), await evaluate(direct, '1 + 1')];
  for (let call = 0; call < warmUp; call += 1) {
    await through.send(version);
    await direct.send(version);
    if (call % 2 === 0) continue;
    await through.send(intoOurs);
    await direct.send(intoDirect);
  }
}

async function trip(id: FigureId, { through, direct, rounds }: Both, command: DevToolsCommand): Promise<Rounds> {
  const pair = { subject: () => through.send(command), baseline: () => direct.send(command) };
  return { id, ...(await measure({ ...pair, calls: trips, rounds })) };
}

/**
 * Measures the evaluation of an expression in a page; the gateway handles most commands of clients in the same way.
 * With a large result, the transfer of its bytes determines the time.
 */
async function evaluation(
  id: FigureId,
  { through, direct, rounds }: Both,
  { expression, calls }: { readonly expression: string; readonly calls: number },
): Promise<Rounds> {
  const [ours, bare] = [await evaluate(through, expression), await evaluate(direct, expression)];
  const pair = { subject: () => through.send(ours), baseline: () => direct.send(bare) };
  return { id, ...(await measure({ ...pair, calls, rounds })) };
}

/** Attaches to the first page and returns a command that evaluates the expression in this page. */
async function evaluate(client: DevTools, expression: string): Promise<DevToolsCommand> {
  const sessionId = await attachToPage(client);
  const params = { expression, returnByValue: true };
  return { method: 'Runtime.evaluate', params, sessionId };
}

/** Returns the websocket URL of a Chromium. Waits for the file to which Chromium writes its port and path. */
async function getAddress(file: string): Promise<string> {
  for (let attempt = 0; attempt < portAttempts; attempt += 1) {
    if (existsSync(file)) {
      const [port, path] = readFileSync(file, 'utf8').split('\n');
      return `ws://127.0.0.1:${port}${path}`;
    }
    await setTimeout(portIntervalMs);
  }
  throw new Error(`Chromium wrote no ${file}`);
}

/** A bare relay with its own Chromium. */
export interface Relay {
  /** Websocket URL of the relay, for one DevTools client at a time. */
  readonly address: string;
  end(): Promise<void>;
}

/** Starts a relay in a child process, with its own Chromium. `profile` is the folder of the Chromium's profile. */
async function startRelay(profile: string): Promise<Relay> {
  const child = fork(join(import.meta.dirname, '../relay-process.ts'), [profile]);
  const address = await nextMessage(child);
  return { address: String(address), end: () => endProgram(child, 'disconnect') };
}
