import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses, type ProcessStatus } from '#browsers/isolation/process-status.ts';
import { readOwner } from '#browsers/launch/folder-owner.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { type ServiceProcess, startService } from '../../tools/conformance/svc-process.ts';
import { browsersFolder } from '../../src/cli/serve/create-host.ts';

/** A service that is killed and restarted with the same data. */
export interface CycledService {
  /** Calls an operation of the V4 API; rejects if the service ends before the response. */
  call(method: string, path: string, body?: JsonObject): Promise<{ status: number; body: JsonObject }>;
  /** Advances the clock of the service; a restart resets it. */
  advance(ms: number): Promise<void>;
  /** Returns the websocket URL of a DevTools path at the running service. */
  cdpUrl(path: string): string;
  /** Returns the process ids of the browsers' main processes, read from the folders of the browsers. */
  browsers(): Promise<number[]>;
  /** Returns all processes of browsers, given the ids of the browsers' main processes. */
  findProcesses(browsers: Iterable<number>): Promise<ProcessStatus[]>;
  /** Returns the names of browser folders. */
  folders(): string[];
  /** Kills the service without a shutdown, and starts it again with the same data. */
  killAndStart(): Promise<void>;
  /** Stops the service normally. */
  stop(): Promise<void>;
}

const key = 'svc_cycles';

/**
 * Starts a service on a data folder. Other users must be able to enter the folder, because browsers may run as another
 * user.
 */
export async function startCycledService(dataFolder: string): Promise<CycledService> {
  // `--pressure-max 100` disables the check of processor load, so that browsers start at once.
  const args = ['--port', '0', '--data', dataFolder, '--bootstrap-key', key, '--pressure-max', '100'];
  const start = (): Promise<ServiceProcess> =>
    startService({
      args: [...args, '--control', '127.0.0.1:0', '--log-level', 'error'],
      onLog: console.error,
    });
  const directory = browsersFolder(dataFolder);
  let served = await start();
  return {
    async call(method, path, body) {
      const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${served.address}/api/v4${path}`, init);
      const read: unknown = await answer.json();
      return { status: answer.status, body: isJsonObject(read) ? read : {} };
    },
    async advance(ms) {
      const headers = { 'content-type': 'application/json' };
      await fetch(`${served.control}/clock`, { method: 'POST', headers, body: JSON.stringify({ advanceMs: ms }) });
    },
    cdpUrl: (path) => `${served.address.replace('http', 'ws')}${path}`,
    async browsers() {
      const owners = await Promise.all(
        readdirSync(directory).map((name) => readOwner(join(directory, name, 'owner.json'))),
      );
      return owners.flatMap((owner) => owner?.browser?.pid ?? []);
    },
    async findProcesses(browsers) {
      const groups = new Set(browsers);
      return (await listProcesses()).filter(({ group }) => groups.has(group));
    },
    // The service removes this folder when it stops.
    folders: () => (existsSync(directory) ? readdirSync(directory) : []),
    async killAndStart() {
      await served.kill();
      served = await start();
    },
    stop: () => served.stop(),
  };
}
