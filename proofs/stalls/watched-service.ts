import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { providers } from '#generated/rules.ts';
import { type CallService, createCall } from '../service/call-service.ts';
import { onExit, type ServiceProcess, startService } from '../../tools/conformance/svc-process.ts';
import { type ModelScript, startModelScript } from './model-script.ts';
import type { Draw } from '../draw.ts';

/** Kinds of services that receive inputs. */
export type ServiceKind = 'simulated' | 'chromium' | 'mock' | 'stateless mock';

/** Effect of one input on a service. */
export interface Measurement {
  /** Longest blocking of the event loop in milliseconds, without the time of other processes. */
  readonly blockedMs: number;
  /**
   * Longest processor time of the main thread within one tick, in milliseconds. On a loaded machine `blockedMs` is
   * larger, because the main thread waits for the garbage collector's threads.
   */
  readonly busyMs: number;
  /** Peak growth of the process's memory in MiB. */
  readonly grownMib: number;
  /** 99th percentile of the event loop's delay since the start of the service, in milliseconds. */
  readonly delayMs: number;
}

/** A service whose event loop delay and memory are measured in its process. */
export interface WatchedService extends Pick<ServiceProcess, 'pid' | 'address' | 'control' | 'metrics' | 'isRunning'> {
  readonly key: string;
  /** A key of another project; the only key of a mock. */
  readonly otherKey: string;
  readonly dataFolder: string;
  readonly call: CallService;
  /** Port of the mail server; 0 without a mail server. */
  readonly mailPort: number;
  readonly model: ModelScript;
  /** Functions that release resources when the service closes; the latest runs first. */
  readonly owned: (() => void | Promise<void>)[];
  /**
   * Begins a measurement. Garbage is collected first if the measurement is thorough, or if memory has grown by more
   * than 24 MiB since the last collection.
   */
  begin(isThorough: boolean): Promise<void>;
  /** Ends a measurement. Rejects when the service does not respond within `timeoutMs`. */
  end(timeoutMs: number): Promise<Measurement>;
  /** Ends the service, by force if it does not respond, and releases its resources. */
  close(): Promise<void>;
}

const loopback = '127.0.0.1:0';
const beginMs = 20_000;
const stopMs = 15_000;

/** Starts a service of a kind with a new folder. */
export async function startWatchedService(kind: ServiceKind): Promise<WatchedService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stalls-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onExit(remove);
  const model = await startModelScript();
  const watch = join(folder, 'watch.sock');
  const isMock = kind === 'mock' || kind === 'stateless mock';
  const keys = isMock ? ['svc_mock', 'svc_mock'] : ['svc_stalls', 'svc_poller'];
  const [key = '', otherKey = ''] = keys;
  const data = join(folder, 'data');
  const mailPort = isMock ? 0 : await freePort();
  const args = isMock
    ? mockArgs(kind)
    : serveArgs({ kind, data, keys, mailPort, file: providerFile(folder, model.address) });
  const env = { NODE_OPTIONS: '--import=./proofs/stalls/watch-loop.ts', SVC_WATCH: watch };
  const service = await startService({ args, env, command: isMock ? 'mock' : 'serve' });
  const owned: WatchedService['owned'] = [];
  const ask = (text: string, timeoutMs: number): Promise<Measurement> => askWatch(watch, text, timeoutMs);
  return {
    ...service,
    key,
    otherKey,
    dataFolder: data,
    call: createCall({ address: () => service.address, key }),
    mailPort,
    model,
    owned,
    begin: async (isThorough) => void (await ask(isThorough ? 'begin thoroughly\n' : 'begin\n', beginMs)),
    end: (timeoutMs) => ask('end\n', timeoutMs),
    async close() {
      for (const end of owned.toReversed()) await end();
      await endService(service);
      await model.close();
      remove();
      forget();
    },
  };
}

function mockArgs(kind: ServiceKind): string[] {
  const state = kind === 'mock' ? ['--stateful', '--speed', '20', '--sessions-max', '500', '--control', loopback] : [];
  return ['--port', '0', ...state];
}

interface ServeWanted {
  readonly kind: ServiceKind;
  readonly data: string;
  readonly keys: readonly string[];
  readonly mailPort: number;
  readonly file: string;
}

function serveArgs({ kind, data, keys, mailPort, file }: ServeWanted): string[] {
  const hosts = kind === 'chromium' ? 'local' : 'simulated';
  return [
    ['--port', '0', '--data', data, '--hosts', hosts, '--providers', file, '--log-level', 'silent'],
    ['--sessions-max', '500', '--pressure-max', '100', '--shutdown-seconds', '0', '--allow', '127.0.0.0/8'],
    ['--mail-port', String(mailPort), '--control', loopback, '--metrics', loopback],
    keys.flatMap((key) => ['--bootstrap-key', key]),
  ].flat();
}

/**
 * Writes the provider file with one provider per API, and returns its path. The offline planner serves other models.
 */
function providerFile(folder: string, address: string): string {
  const file = join(folder, 'providers.yaml');
  const named = ['openai', 'anthropic', 'zai'];
  const rows = providers.providers.filter(({ provider }) => named.includes(provider));
  const accesses = rows.map(({ provider, api }) => {
    const baseUrl = api === 'anthropic-messages' ? address : `${address}/v1`;
    return [provider, { apiKey: `key-of-${provider}`, baseUrl, route: 'cloud' }];
  });
  writeFileSync(file, stringify({ providers: Object.fromEntries(accesses) }), { mode: 0o600 });
  return file;
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (place === null || typeof place === 'string') throw new Error('expected a port');
  return place.port;
}

function askWatch(path: string, text: string, timeoutMs: number): Promise<Measurement> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the service did not react within ${timeoutMs} ms`));
    }, timeoutMs);
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('data', (answer: Buffer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(JSON.parse(answer.toString('utf8')));
    });
    socket.write(text);
  });
}

/** Stops a service; kills it if it has not ended after 15 s. */
async function endService(service: ServiceProcess): Promise<void> {
  if (!service.isRunning()) return;
  const timer = setTimeout(() => void service.kill(), stopMs);
  try {
    // The service may have been killed meanwhile, and then `stop` rejects. The blocking input is reported elsewhere.
    await service.stop().catch(() => undefined);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A function that sends one random input and waits until the service has handled it. Returns the result as a short
 * text, such as a status.
 */
export type SendInput = (draw: Draw) => Promise<string>;

/** A point at which a service reads untrusted input. */
export interface EntryPoint {
  /** Unique name; a part of this name selects the entry point. */
  readonly name: string;
  /** Kind of the service that receives the inputs. @defaultValue simulated browsers */
  readonly service?: ServiceKind;
  /**
   * Prepares the service and returns a function that sends inputs. Adds to `service.owned`
   * the functions that release what this preparation has opened.
   */
  open(service: WatchedService): Promise<SendInput>;
}
