import { readdirSync, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { FuzzedService } from './fuzzed-service.ts';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Memory, handles, files and rows of an idle service. */
export interface Held {
  /** Number of requests that were sent before the measurement. */
  readonly after: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Number of active resources of the event loop, such as timers, sockets and files. */
  readonly resources: number;
  readonly descriptors: number;
  /** Number of files and folders that {@link countFiles} counts. */
  readonly files: number;
  readonly rows: ReadonlyMap<string, number>;
}

const collections = 4;
const collectionMs = 500;

/** Measures the resources of an idle service after several garbage collections. */
export async function measureHeld(service: FuzzedService, after: number): Promise<Held> {
  for (let round = 0; round < collections; round += 1) {
    process.kill(service.pid, 'SIGUSR2');
    // The service does not report the end of a collection; this is a measurement and no test.
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

/**
 * Returns the number of files and folders below the folders for blobs, recordings, browsers and profiles of a service.
 */
export function countFiles(dataFolder: string): number {
  return folders.reduce((sum, name) => sum + filesIn(join(dataFolder, name)), 0);
}

function filesIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
}

/**
 * Returns the number of rows of each table of a service, read from its database file. Leaves out internal tables of
 * SQLite and Kysely.
 */
export function readRows(dataFolder: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { readOnly: true });
  try {
    const tables = database
      .prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
      )
      .all()
      .map(({ name }) => String(name));
    return new Map(
      tables.map(
        (table) => [table, Number(database.prepare(`select count(*) as n from "${table}"`).get()?.['n'])] as const,
      ),
    );
  } finally {
    database.close();
  }
}
