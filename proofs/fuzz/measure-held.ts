import { readdirSync, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { FuzzedService } from './fuzzed-service.ts';
import { readRows } from './read-rows.ts';
import { join } from 'node:path';

/** What a service has when nothing is left that anybody wants. */
export interface Held {
  /** Requests that it has answered up to now. */
  readonly after: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Timers, sockets and files that keep the process alive. */
  readonly resources: number;
  readonly descriptors: number;
  /** Files in its folders. */
  readonly files: number;
  readonly rows: ReadonlyMap<string, number>;
}

const collections = 4;
const collectionMs = 500;

/** Measures a service at rest, after it has thrown away what nobody uses. */
export async function measureHeld(service: FuzzedService, after: number): Promise<Held> {
  for (let round = 0; round < collections; round += 1) {
    process.kill(service.pid, 'SIGUSR2');
    // It does not say when it has done it; this is a measurement and no test.
    await setTimeout(collectionMs);
  }
  const text = await (await fetch(`${service.metrics}/metrics`)).text();
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    after,
    heapBytes: figure('nodejs_heap_size_used_bytes'),
    residentBytes: figure('process_resident_memory_bytes'),
    resources: figure('nodejs_active_resources_total'),
    descriptors: readdirSync(`/proc/${service.pid}/fd`).length,
    files: countFiles(service.dataFolder),
    rows: readRows(service.dataFolder),
  };
}

const folders = ['blobs', 'recordings', 'browsers', 'profiles'] as const;

/** Files that a service keeps besides its tables and secrets. */
export function countFiles(dataFolder: string): number {
  return folders.reduce((sum, name) => sum + filesIn(join(dataFolder, name)), 0);
}

function filesIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
}
