import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses } from '#browsers/isolation/process-status.ts';
import { readOwner } from '#browsers/launch/folder-owner.ts';
import { browsersFolder } from '../src/cli/serve/create-host.ts';
import { connectDevTools } from './dev-tools.ts';
import { heldBytes } from './process-usage.ts';
import { createBrowser, type ServiceAccess, stopBrowser } from './service-access.ts';

const browsers = 20;
const cycles = 5;
const mebibyte = 1024 * 1024;

/** The service whose resources are measured. */
interface Observed {
  readonly pid: number;
  readonly dataFolder: string;
}

/** Resources that the service and its browsers use at one moment. */
interface Held {
  /** Number of living processes of all browsers that this measurement or an earlier measurement has found. */
  readonly processes: number;
  /** Sockets and pipes of the service. */
  readonly sockets: number;
  readonly folders: number;
  /** Private memory of the service in MiB, after garbage collections. */
  readonly mebibytes: number;
}

/**
 * Opens 20 browsers concurrently, sends a command to each and stops them. Repeats this cycle five times. Returns lines
 * with the resources in use at these times: in each cycle while all browsers are open, before the second cycle, and
 * after the last cycle. The last line compares the memory at the last two of these times.
 */
export async function benchCrowd(service: ServiceAccess, observed: Observed): Promise<string[]> {
  const lines: string[] = [];
  const groups = new Set<number>();
  const before: Held[] = [];
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    before.push(await look(observed, groups));
    const begun = performance.now();
    const ids = await Promise.all(Array.from({ length: browsers }, () => useOne(service)));
    const seconds = (performance.now() - begun) / 1000;
    const most = await look(observed, groups);
    await Promise.all(ids.map((id) => stopBrowser(service, id)));
    lines.push(
      `${getLine(`${browsers} browsers at once, cycle ${cycle}`, most)}; all open after ${seconds.toFixed(1)} s`,
    );
  }
  const last = await look(observed, groups);
  const second = before[1] ?? last;
  lines.push(getLine('before the second cycle', second), getLine('after the last cycle', last));
  // Compares with the start of the second cycle, because the first cycle loads code and data that a service loads only
  // once.
  const ratio = last.mebibytes / second.mebibytes;
  const sizes = `${last.mebibytes.toFixed(0)} MiB / ${second.mebibytes.toFixed(0)} MiB`;
  lines.push(`${"memory now / at the second cycle's start".padEnd(42)} ${ratio.toFixed(2).padStart(6)}   (${sizes})`);
  return lines;
}

async function useOne(service: ServiceAccess): Promise<string> {
  const { id, cdpUrl } = await createBrowser(service);
  const client = await connectDevTools(cdpUrl);
  await client.send({ method: 'Target.getTargets' });
  client.close();
  return id;
}

async function look({ pid, dataFolder }: Observed, groups: Set<number>): Promise<Held> {
  const directory = browsersFolder(dataFolder);
  const folders = readdirSync(directory);
  for (const name of folders) groups.add((await readOwner(join(directory, name, 'owner.json')))?.browser?.pid ?? 0);
  const bytes = await heldBytes(pid);
  return {
    processes: (await listProcesses()).filter(({ group }) => groups.has(group)).length,
    sockets: readdirSync(`/proc/${pid}/fd`).filter((fd) => isSocket(`/proc/${pid}/fd/${fd}`)).length,
    folders: folders.length,
    mebibytes: bytes / mebibyte,
  };
}

function isSocket(path: string): boolean {
  try {
    return /^(?:socket|pipe):/.test(readlinkSync(path));
  } catch {
    // The descriptor was closed while the folder was read.
    return false;
  }
}

function getLine(name: string, { processes, sockets, folders, mebibytes }: Held): string {
  return `${name.padEnd(42)} ${processes} processes, ${sockets} sockets, ${folders} folders, ${mebibytes.toFixed(0)} MiB`;
}
