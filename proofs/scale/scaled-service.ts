import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '../../test/support/scale/start-balancer.ts';
import { type AccessTokens, createAccessTokens, createVault } from '#lib/vault.ts';
import { randomIds } from '#lib/ids.ts';
import { readSecrets } from '../../src/cli/serve/read-files.ts';
import { leftProcesses } from '../../tools/conformance/left-processes.ts';
import type { Hosts } from '../kills/fleet.ts';
import { onExit } from '../service/on-exit.ts';
import { type ServiceProcess, startService } from '../service/service-process.ts';
import { type ControlOfAll, startControlOfAll } from './control-of-all.ts';

/** What a service of several processes is made of. */
export interface ScaledOptions {
  readonly hosts: Hosts;
  /** Address of an empty PostgreSQL database. */
  readonly database: string;
  /** Whether its clock can be moved: only where no process starts later. */
  readonly movesClock: boolean;
  /** Where the log of each process is written. */
  readonly logs: string;
}

/** Two processes that answer behind a plain balancer, and two that work. */
export interface ScaledService {
  /** Where the balancer stands. */
  readonly address: string;
  readonly control: string;
  /** Keys of two projects. */
  readonly keys: readonly [string, string];
  /** Where each worker is reached; the same after it was started anew. */
  readonly workers: readonly string[];
  /** Reads the access tokens of its rows. */
  readonly tokens: Pick<AccessTokens, 'read'>;
  /** Kills a worker as a power failure would, once no fault is set that its successor would not know. */
  killWorker(at: number): Promise<void>;
  /** Starts it anew at the same place. */
  startWorker(at: number): Promise<void>;
  /** Ends everything in order; answers what is left of it, a sentence each. */
  stop(): Promise<string[]>;
}

type Role = 'api' | 'worker';

/** Starts them; rejects when one of them does not start, with nothing left. */
export async function startScaledService(options: ScaledOptions): Promise<ScaledService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-scale-'));
  // Browsers run as another user where the system allows it: that user passes through, and lists nothing.
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
    startService(startOf(options, { folder, keys, publicUrl }, { role, name: `${role}-${at}`, port }));
  const apis = await Promise.all([0, 1].map((at) => start('api', at)));
  owned.defer(() => endAll(apis));
  const workers = await Promise.all([0, 1].map((at) => start('worker', at)));
  owned.defer(() => endAll(workers));
  balancer.point(apis.map(({ address }) => address));
  const control = await startControlOfAll(options.movesClock);
  owned.defer(() => control.close());
  const told = (): Promise<void> => control.point([...apis, ...workers].map((one) => one.control));
  await told();
  const places = workers.map(({ address }) => address);
  const { sealing } = await readSecrets(join(folder, 'secret'));
  const tokens = createAccessTokens(createVault(sealing), randomIds.newToken);
  return serviceOf({ balancer, control, keys, workers, places, tokens, folder, told, start, kept: owned.move() });
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

function serviceOf({
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

/** What is the same for all of them. */
interface Place {
  /** Where clients reach those that answer. */
  readonly publicUrl: string;
  readonly folder: string;
  readonly keys: readonly [string, string];
}

function startOf(
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
    // What else the machine does is not meant here: browsers start at once.
    'pressure-max': '100',
  };
  const given = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  // Clients reach the browsers of a worker at its own address.
  const shown = role === 'api' ? ['--public-url', publicUrl] : [];
  const args = [...given, ...shown, ...keys.flatMap((key) => ['--bootstrap-key', key])];
  return { args, onLog: (line) => appendFileSync(join(logs, `${name}.log`), `${line}\n`) };
}

function newKey(): string {
  return `svc_${randomBytes(24).toString('base64url')}`;
}
