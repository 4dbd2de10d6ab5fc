import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses } from '#browsers/isolation/process-status.ts';
import { readOwner } from '#browsers/launch/folder-owner.ts';
import { browsersFolder } from '../../src/cli/serve/create-host.ts';
import type { Victim } from './fleet.ts';

/** Observes the browsers of one service through their folders. */
export interface BrowserWatch {
  /** Returns browser processes that can be killed. */
  victims(): Promise<Victim[]>;
  /**
   * Records the current browsers. Must be called before a kill of the service, because the kill orphans the browsers.
   */
  look(): Promise<void>;
  /**
   * Marks the recorded browsers as those of an earlier service. Must be called after the end of a service and before
   * its restart.
   */
  restarted(): void;
  /** Returns living browser processes of earlier services, one sentence each. */
  orphans(): Promise<string[]>;
  /** Returns remaining processes and folders after the end of the service, one sentence each. */
  left(): Promise<string[]>;
}

/** Observes the browsers below the data folder of a service. */
export function watchBrowsers(dataFolder: string): BrowserWatch {
  const directory = browsersFolder(dataFolder);
  /** Process ids of the main processes of browsers: `current` of the running service, `earlier` of earlier services. */
  let [current, earlier] = [new Set<number>(), new Set<number>()];
  const look = async (): Promise<void> => {
    for (const pid of await ownedBrowsers(directory)) current.add(pid);
  };
  return {
    look,
    async victims() {
      const groups = new Set(await ownedBrowsers(directory));
      return (await getProcesses(groups)).map((pid) => ({ kind: 'chromium', pid }));
    },
    restarted() {
      [earlier, current] = [new Set([...earlier, ...current]), new Set()];
    },
    async orphans() {
      return (await getProcesses(earlier)).map((pid) => `process ${pid} of an earlier service is left`);
    },
    async left() {
      const processes = await getProcesses(new Set([...earlier, ...current]));
      return [
        ...processes.map((pid) => `process ${pid} is left after the service`),
        ...foldersIn(directory).map((name) => `folder ${name} is left after the service`),
      ];
    },
  };
}

async function getProcesses(groups: ReadonlySet<number>): Promise<number[]> {
  const processes = groups.size === 0 ? [] : await listProcesses();
  return processes.filter(({ group }) => groups.has(group)).map(({ pid }) => pid);
}

/** Returns the process ids of the browsers' main processes, read from the folders of the browsers. */
async function ownedBrowsers(directory: string): Promise<number[]> {
  const owners = await Promise.all(foldersIn(directory).map((name) => readOwner(join(directory, name, 'owner.json'))));
  return owners.flatMap((owner) => owner?.browser?.pid ?? []);
}

function foldersIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
