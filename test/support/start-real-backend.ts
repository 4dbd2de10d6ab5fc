import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalHostOptions, createLocalHost } from '#browsers/index.ts';
import { probeOnce } from '#browsers/testing/probe-once.ts';
import { readOwner } from '#browsers/launch/folder-owner.ts';
import type { ProcessMark } from '#browsers/isolation/process-table.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { type BackendChanges, type StartedBackend, startBackend } from './start-backend.ts';

/** A reference backend with real Chromium, and the browsers of its first project. */
export interface RealBackend extends StartedBackend {
  readonly v4: ApiClient;
  /** Creates a standalone browser; throws if the service refuses it. */
  browser(body?: JsonObject): Promise<{ id: string; cdpUrl: string; liveUrl: string }>;
  /** Returns the names of the folders of all running browsers. */
  folders(): string[];
  /** Returns the main processes of all running browsers. */
  processes(): Promise<ProcessMark[]>;
}

/** Options that a test changes. */
export interface RealChanges extends Omit<BackendChanges, 'host'>, Pick<LocalHostOptions, 'exits' | 'resolve'> {
  /** Addresses in private networks that pages may nevertheless reach. @defaultValue none */
  readonly allow?: readonly string[];
  /** Receives the log of the host. @defaultValue nothing */
  readonly hostLog?: Partial<LocalHostOptions['log']>;
}

function pickRoutes({ exits, resolve }: RealChanges): Pick<LocalHostOptions, 'exits' | 'resolve'> {
  return { ...(exits === undefined ? {} : { exits }), ...(resolve === undefined ? {} : { resolve }) };
}

/** Starts the backend on free loopback ports, with a new data folder unless one is given. */
export async function startRealBackend(changes: RealChanges = {}): Promise<RealBackend> {
  const dataFolder = changes.dataFolder ?? mkdtempSync(join(tmpdir(), 'svc-real-'));
  // Browsers run as a separate user, which needs to enter their folders; mkdtemp forbids that.
  chmodSync(dataFolder, 0o711);
  const directory = join(dataFolder, 'browsers');
  const log = { info: () => undefined, warn: () => undefined, ...changes.hostLog };
  const host = await createLocalHost({
    directory,
    log,
    allow: changes.allow ?? [],
    probe: probeOnce,
    ...pickRoutes(changes),
  });
  const started = await startBackend({ ...changes, dataFolder, host });
  const v4 = createApiClient(started.address, undefined, 'v4');
  const folders = (): string[] => readdirSync(directory).filter((name) => /^[0-9a-f-]{36}$/.test(name));
  return {
    ...started,
    v4,
    async browser(body = {}) {
      const created = await v4.call('POST', '/browsers', body);
      if (created.status !== 201) throw new Error(`not created: ${JSON.stringify(created)}`);
      const { id, cdpUrl, liveUrl } = created.body;
      return { id: String(id), cdpUrl: String(cdpUrl), liveUrl: String(liveUrl) };
    },
    folders,
    async processes() {
      const owners = await Promise.all(folders().map((name) => readOwner(join(directory, name, 'owner.json'))));
      return owners.flatMap((owner) => owner?.browser ?? []);
    },
    async stop() {
      await started.stop();
      await host.close();
      if (changes.dataFolder === undefined) rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
