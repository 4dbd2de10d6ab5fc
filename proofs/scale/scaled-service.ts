import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '../../test/support/scale/start-balancer.ts';
import { type AccessTokens, createAccessTokens, createVault } from '#lib/vault.ts';
import { randomIds } from '#lib/ids.ts';
import { readSecrets } from '../../src/cli/serve/read-files.ts';
import { leftProcesses } from '../../tools/conformance/svc-process.ts';
import type { Hosts } from '../kills/fleet.ts';
import { type ServiceProcess, onExit, startService } from '../../tools/conformance/svc-process.ts';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type JsonObject, isJsonObject, parseJson } from '#conformance/core/json.ts';

/** Options of a service of several processes. */
interface ScaledOptions {
  readonly hosts: Hosts;
  /** URL of an empty PostgreSQL database. */
  readonly database: string;
  /**
   * Whether a request to the control server may move the clock of the service. If true, no process may start later,
   * because such a process would not know the moved time.
   */
  readonly movesClock: boolean;
  /** Folder for the logs of the processes. */
  readonly logs: string;
}

/** Two API processes behind a simple balancer, and two workers. */
export interface ScaledService {
  /** URL of the balancer. */
  readonly address: string;
  readonly control: string;
  /** API keys of two projects. */
  readonly keys: readonly [string, string];
  /** URLs of the workers, which a restart does not change. */
  readonly workers: readonly string[];
  /** Decrypts the access tokens of sessions and browsers in the database. */
  readonly tokens: Pick<AccessTokens, 'read'>;
  /** Waits until no `sandboxStart` fault is active, then kills a worker. */
  killWorker(at: number): Promise<void>;
  /** Restarts a worker with the same URL. */
  startWorker(at: number): Promise<void>;
  /** Stops all processes. Returns a sentence for each process that still runs. */
  stop(): Promise<string[]>;
}

type Role = 'api' | 'worker';

/** Starts the service. If a process does not start, rejects and removes everything. */
export async function startScaledService(options: ScaledOptions): Promise<ScaledService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-scale-'));
  // Browsers run as another user where possible: that user may enter the folder but list nothing.
  chmodSync(folder, 0o711);
  await using owned = new AsyncDisposableStack();
  const forget = onExit(() => rmSync(folder, { recursive: true, force: true }));
  owned.defer(() => {
    rmSync(folder, { recursive: true, force: true });
    forget();
  });
  writeFileSync(join(folder, 'secret'), randomBytes(32), { mode: 0o600 });
  mkdirSync(options.logs, { recursive: true });
  const keys = [newKey(), newKey()] as const;
  const balancer = await startBalancer();
  owned.defer(() => balancer.close());
  const publicUrl = balancer.address;
  const start = (role: Role, at: number, port = '0'): Promise<ServiceProcess> =>
    startService(getStart(options, { folder, keys, publicUrl }, { role, name: `${role}-${at}`, port }));
  const apis = await Promise.all([0, 1].map((at) => start('api', at)));
  owned.defer(() => endAll(apis));
  const workers = await Promise.all([0, 1].map((at) => start('worker', at)));
  owned.defer(() => endAll(workers));
  balancer.point(apis.map(({ address }) => address));
  const control = await startSharedControl(options.movesClock);
  owned.defer(() => control.close());
  const told = (): Promise<void> => control.point([...apis, ...workers].map((one) => one.control));
  await told();
  const places = workers.map(({ address }) => address);
  const { sealing } = await readSecrets(join(folder, 'secret'));
  const tokens = createAccessTokens(createVault(sealing), randomIds.newToken);
  return getService({ balancer, control, keys, workers, places, tokens, folder, told, start, kept: owned.move() });
}

interface Parts {
  readonly balancer: Balancer;
  readonly control: ControlOfAll;
  readonly keys: readonly [string, string];
  readonly workers: ServiceProcess[];
  readonly places: readonly string[];
  readonly tokens: ScaledService['tokens'];
  readonly folder: string;
  readonly told: () => Promise<void>;
  readonly start: (role: Role, at: number, port: string) => Promise<ServiceProcess>;
  readonly kept: AsyncDisposableStack;
}

function getService({
  balancer,
  control,
  keys,
  workers,
  places,
  tokens,
  folder,
  told,
  start,
  kept,
}: Parts): ScaledService {
  return {
    address: balancer.address,
    control: control.address,
    keys,
    tokens,
    workers: places,
    async killWorker(at) {
      await control.calm();
      await workers[at]?.kill();
    },
    async startWorker(at) {
      workers[at] = await start('worker', at, new URL(places[at] ?? '').port);
      await told();
    },
    async stop() {
      await kept.disposeAsync();
      return leftProcesses(folder).map((line) => `left running: ${line}`);
    },
  };
}

async function endAll(processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(processes.filter((one) => one.isRunning()).map((one) => one.stop()));
}

/** Options that all processes share. */
interface Place {
  /** URL at which clients reach the API. */
  readonly publicUrl: string;
  readonly folder: string;
  readonly keys: readonly [string, string];
}

function getStart(
  { hosts, database, logs }: ScaledOptions,
  { folder, keys, publicUrl }: Place,
  { role, name, port }: { readonly role: Role; readonly name: string; readonly port: string },
): Parameters<typeof startService>[0] {
  const flags: Readonly<Record<string, string>> = {
    role,
    port,
    hosts,
    database,
    data: join(folder, name),
    'secret-file': join(folder, 'secret'),
    blobs: `file://${join(folder, 'blobs')}`,
    control: '127.0.0.1:0',
    'log-level': 'warn',
    'shutdown-seconds': '5',
    // Disables the check of processor load, so that browsers start at once.
    'pressure-max': '100',
  };
  const given = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  // Clients reach the browsers of a worker at the worker's own URL.
  const shown = role === 'api' ? ['--public-url', publicUrl] : [];
  const args = [...given, ...shown, ...keys.flatMap((key) => ['--bootstrap-key', key])];
  return { args, onLog: (line) => appendFileSync(join(logs, `${name}.log`), `${line}\n`) };
}

function newKey(): string {
  return `svc_${randomBytes(24).toString('base64url')}`;
}

/** One control URL for several processes. */
interface ControlOfAll {
  readonly address: string;
  /**
   * Sets the control URLs of the current processes. Sends an active `sandboxStart` fault to processes that were added.
   */
  point(controls: readonly string[]): Promise<void>;
  /** Resolves when no `sandboxStart` fault is active. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Commands that inject a fault into one session. Only the first process gets such a command, and forwards the command
 * to the process that owns the session.
 */
const forOne = new Set(['crashSession']);

/**
 * Starts a control server that passes each request on to every process; only a command of `forOne` goes to the first
 * process alone. With `movesClock` false, the server answers requests to move the clock with 404, because processes
 * that start later would not know the time.
 */
async function startSharedControl(movesClock: boolean): Promise<ControlOfAll> {
  let controls: readonly string[] = [];
  let faults: JsonObject = {};
  let isCalm = Promise.withResolvers<void>();
  isCalm.resolve();
  const note = (body: JsonObject): void => {
    if (body['sandboxStart'] === undefined) return;
    const isOver = body['sandboxStart'] === null;
    faults = isOver ? {} : body;
    if (isOver) isCalm.resolve();
    else isCalm = Promise.withResolvers();
  };
  const handle = async (request: IncomingMessage): Promise<Passed> => {
    const { method = 'GET', url = '/' } = request;
    if (url === '/clock' && !movesClock) return { status: 404, body: '{"error":"the clock stays as it is"}' };
    const body = await text(request);
    const read = parseJson(body);
    const told = isJsonObject(read) ? read : {};
    if (url === '/faults') note(told);
    const first = Object.keys(told).some((name) => forOne.has(name));
    const answers = await Promise.all(
      controls.slice(0, first ? 1 : undefined).map((to) => pass(`${to}${url}`, method, body)),
    );
    return answers.find(({ status }) => status >= 300) ?? answers[0] ?? { status: 503, body: '' };
  };
  const server = createServer((request, response) => void send(response, handle(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new TypeError('found no port');
  return {
    address: `http://127.0.0.1:${place.port}`,
    async point(next) {
      const fresh = next.filter((one) => !controls.includes(one));
      controls = next;
      if (faults['sandboxStart'] === undefined) return;
      await Promise.all(fresh.map((to) => pass(`${to}/faults`, 'POST', JSON.stringify(faults))));
    },
    calm: () => isCalm.promise,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Passed {
  readonly status: number;
  readonly body: string;
}

async function pass(url: string, method: string, body: string): Promise<Passed> {
  const sent = body === '' ? {} : { body, headers: { 'content-type': 'application/json' } };
  const answer = await fetch(url, { method, ...sent });
  return { status: answer.status, body: await answer.text() };
}

/** Sends the response of the processes, or 502 if a process did not answer. */
async function send(response: ServerResponse, passed: Promise<Passed>): Promise<void> {
  const [outcome] = await Promise.allSettled([passed]);
  const { status, body } =
    outcome.status === 'fulfilled'
      ? outcome.value
      : { status: 502, body: JSON.stringify({ error: String(outcome.reason) }) };
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
