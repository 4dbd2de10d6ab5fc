import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { hasKeys, newApiKey } from '#backend/accounts/api-keys.ts';
import { createOfflinePlanner } from '#backend/agent/index.ts';
import { createLocalHost, createSimulatedHost } from '#backend/browsers/index.ts';
import type { BrowserHost } from '#backend/browsers/host.ts';
import { createClock } from '#backend/clock/controlled-clock.ts';
import { createControlServer } from '#backend/control/control-server.ts';
import { createFaultSwitch } from '#backend/control/fault-switch.ts';
import { createRequestLog } from '#backend/control/request-log.ts';
import { type Backend, createBackend } from '#backend/create-backend.ts';
import { createLog } from '../create-log.ts';
import { defaultRules } from '#domain/rule-book.ts';

/** What `svc serve` is started with. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly dataFolder: string;
  readonly hosts: 'local' | 'simulated';
  readonly bootstrapKeys: readonly string[];
  readonly control: { readonly host: string; readonly port: number } | null;
  readonly allow: readonly string[];
  readonly inactivityMs: number;
  readonly activeSessionsMax: number;
  readonly verifyEveryNth: number;
  readonly logLevel: string;
}

/** A running `svc serve`. */
export interface Started {
  readonly address: string;
  readonly controlAddress: string | null;
  /** The key that was made because there was none, or null. */
  readonly madeKey: string | null;
  close(): Promise<void>;
}

/** Composes host, agent, clock and backend and starts to listen. */
export async function startServe(options: ServeOptions): Promise<Started> {
  const log = createLog(options.logLevel);
  const clock = createClock();
  const faults = createFaultSwitch(await createHost(options, log));
  const requests = createRequestLog();
  const backend = await createBackend({
    ...options,
    clock,
    log,
    host: faults.host,
    agent: createOfflinePlanner({ testTasks: options.control !== null }),
    rules: defaultRules,
    limits: { inactivityMs: options.inactivityMs, activeSessionsMax: options.activeSessionsMax },
    dataFolder: resolve(options.dataFolder),
  });
  const madeKey = await makeFirstKey(backend);
  const control =
    options.control === null ? null : createControlServer({ clock, engine: backend.engine, faults, requests });
  if (control !== null) {
    backend.app.addHook('onResponse', async (request, reply) => {
      requests.add({
        at: new Date(clock.now()).toISOString(),
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
      });
    });
  }
  const controlAddress = control === null || options.control === null ? null : await control.listen(options.control);
  const address = await backend.listen(options);
  return {
    address,
    controlAddress,
    madeKey,
    async close() {
      await control?.close();
      await backend.close();
    },
  };
}

async function createHost(options: ServeOptions, log: Logger): Promise<BrowserHost> {
  if (options.hosts === 'simulated') return createSimulatedHost();
  return createLocalHost({ directory: join(resolve(options.dataFolder), 'browsers'), log, allow: options.allow });
}

async function makeFirstKey(backend: Backend): Promise<string | null> {
  if (await hasKeys(backend.db)) return null;
  const key = newApiKey();
  await backend.addKey(key);
  return key;
}

/** The path alone: a query can carry a signature. */
function pathOf(url: string): string {
  return url.split('?')[0] ?? url;
}
