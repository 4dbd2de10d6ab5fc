import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses } from '../../src/browsers/isolation/process-status.ts';
import { readOwner } from '../../src/browsers/launch/browser-folder.ts';
import { browsersFolder } from '../../src/cli/serve/create-host.ts';
import type { Victim } from './fleet.ts';

/** The browsers of one service, seen from beside it: by the folders that it keeps for them. */
export interface BrowserWatch {
  /** Processes of browsers that can be killed now. */
  victims(): Promise<Victim[]>;
  /** To be told before a service is killed: what it had up to then belongs to nobody afterwards. */
  look(): Promise<void>;
  /** To be told when the service was started again. */
  restarted(): void;
  /** Processes of browsers of services before this one, a sentence each. */
  orphans(): Promise<string[]>;
  /** What is left of processes and folders of all of them when the service has ended, a sentence each. */
  left(): Promise<string[]>;
}

/** Watches the browsers below the data folder of a service. */
export function watchBrowsers(dataFolder: string): BrowserWatch {
  const directory = browsersFolder(dataFolder);
  /** Main processes of browsers of the service that runs, and of those before it. */
  let [current, earlier] = [new Set<number>(), new Set<number>()];
  const look = async (): Promise<void> => {
    for (const pid of await ownedBrowsers(directory)) current.add(pid);
  };
  return {
    look,
    async victims() {
      const groups = new Set(await ownedBrowsers(directory));
      return (await processesOf(groups)).map((pid) => ({ kind: 'chromium', pid }));
    },
    restarted() {
      [earlier, current] = [new Set([...earlier, ...current]), new Set()];
    },
    async orphans() {
      return (await processesOf(earlier)).map((pid) => `process ${pid} of an earlier service is left`);
    },
    async left() {
      const processes = await processesOf(new Set([...earlier, ...current]));
      return [
        ...processes.map((pid) => `process ${pid} is left after the service`),
        ...foldersIn(directory).map((name) => `folder ${name} is left after the service`),
      ];
    },
  };
}

async function processesOf(groups: ReadonlySet<number>): Promise<number[]> {
  const processes = groups.size === 0 ? [] : await listProcesses();
  return processes.filter(({ group }) => groups.has(group)).map(({ pid }) => pid);
}

/** The main processes of the browsers that have a folder now. */
async function ownedBrowsers(directory: string): Promise<number[]> {
  const owners = await Promise.all(foldersIn(directory).map((name) => readOwner(join(directory, name, 'owner.json'))));
  return owners.flatMap((owner) => owner?.browser?.pid ?? []);
}

function foldersIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
