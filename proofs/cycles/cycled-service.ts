import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses, type ProcessStatus } from '../../src/browsers/isolation/process-status.ts';
import { readOwner } from '../../src/browsers/launch/folder-owner.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { type Served, startServe } from '../../tools/conformance/svc-process.ts';
import { browsersFolder } from '../../src/cli/serve/create-host.ts';

/** A service that is killed and restarted with the same data. */
export interface CycledService {
  /** Calls an operation of browsers; rejects if the service ends before the response. */
  call(method: string, path: string, body?: JsonObject): Promise<{ status: number; body: JsonObject }>;
  /** Advances the clock of the service; a restart resets it. */
  advance(ms: number): Promise<void>;
  /** Returns the DevTools URL of a browser at the running service. */
  cdpUrl(path: string): string;
  /** Returns the main processes of all browsers with a folder. */
  browsers(): Promise<number[]>;
  /** Returns all processes of some browsers. */
  findProcesses(browsers: Iterable<number>): Promise<ProcessStatus[]>;
  /** Returns the names of browser folders. */
  folders(): string[];
  /** Kills the service, like a power failure, and restarts it. */
  killAndStart(): Promise<void>;
  /** Stops the service normally. */
  stop(): Promise<void>;
}

const key = 'svc_cycles';

/** Starts a service on a data folder that other users may enter. */
export async function startCycledService(dataFolder: string): Promise<CycledService> {
  // Disables the check of processor load, so that browsers start at once.
  const args = ['--port', '0', '--data', dataFolder, '--bootstrap-key', key, '--pressure-max', '100'];
  const start = (): Promise<Served> => startServe([...args, '--control', '127.0.0.1:0', '--log-level', 'error']);
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
    // Removed with the service.
    folders: () => (existsSync(directory) ? readdirSync(directory) : []),
    async killAndStart() {
      await served.kill();
      served = await start();
    },
    stop: () => served.stop(),
  };
}
