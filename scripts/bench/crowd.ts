import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { connectDevTools } from './dev-tools.ts';
import { createBrowser, type ServiceAccess, stopBrowser } from './service-access.ts';

const browsers = 20;
const cycles = 5;

/** What the service and its browsers have of the machine at one moment. */
interface Held {
  /** Processes with the data folder on their command line, the service included. */
  readonly processes: number;
  /** Open files of the service, sockets and pipes included. */
  readonly files: number;
  readonly folders: number;
  /** Memory of the service, in MiB. */
  readonly mebibytes: number;
}

/** Opens 20 browsers at once, uses each, stops them all, again and again: what is held afterwards, cycle by cycle. */
export async function benchCrowd(service: ServiceAccess, dataFolder: string): Promise<string[]> {
  const lines: string[] = [];
  const held: Held[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    held.push(look(dataFolder));
    const begun = performance.now();
    const ids = await Promise.all(Array.from({ length: browsers }, () => useOne(service)));
    const openedMs = performance.now() - begun;
    const most = look(dataFolder);
    await Promise.all(ids.map((id) => stopBrowser(service, id)));
    lines.push(lineOf(`${browsers} browsers at once, cycle ${cycle + 1}, before`, held.at(-1)));
    lines.push(
      `${lineOf(`${browsers} browsers at once, cycle ${cycle + 1}, open`, most)}, all after ${(openedMs / 1000).toFixed(1)} s`,
    );
  }
  const last = look(dataFolder);
  lines.push(lineOf(`after ${cycles} cycles`, last));
  // The first cycle loads what a service needs once.
  const ratio = last.mebibytes / (held[1]?.mebibytes ?? Number.NaN);
  lines.push(`${"memory now / at the second cycle's start".padEnd(42)} ${ratio.toFixed(2).padStart(6)}`);
  return lines;
}

async function useOne(service: ServiceAccess): Promise<string> {
  const { id, cdpUrl } = await createBrowser(service);
  const client = await connectDevTools(cdpUrl);
  await client.send({ method: 'Target.getTargets' });
  client.close();
  return id;
}

function look(dataFolder: string): Held {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const ours = all.filter((pid) => read(`/proc/${pid}/cmdline`).includes(dataFolder));
  const service = ours.find((pid) => read(`/proc/${pid}/cmdline`).includes('--bootstrap-key')) ?? 'self';
  return {
    processes: ours.length,
    files: readdirSync(`/proc/${service}/fd`).filter((fd) => linkOf(`/proc/${service}/fd/${fd}`) !== '').length,
    folders: readdirSync(join(dataFolder, 'browsers')).length,
    mebibytes: Number(/^Pss:\s*(\d+)/m.exec(read(`/proc/${service}/smaps_rollup`))?.[1]) / 1024,
  };
}

/** Empty for a process that has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Ended, or not ours to read: nothing that we have started.
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed while the folder was read.
    return '';
  }
}

function lineOf(name: string, held: Held | undefined): string {
  const { processes, files, folders, mebibytes } = held ?? { processes: 0, files: 0, folders: 0, mebibytes: 0 };
  return `${name.padEnd(42)} ${processes} processes, ${files} open files, ${folders} folders, ${mebibytes.toFixed(0)} MiB`;
}
