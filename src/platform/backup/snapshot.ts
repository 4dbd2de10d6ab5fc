import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { loadOptional } from '#contract/load-optional.ts';
import { openDatabase } from '#store/database.ts';
import { isPostgres } from '#store/database-url.ts';
import { type CopiedContent, copySqliteFile, fillFromPostgres, readCopiedContent } from '#store/sqlite/copy-file.ts';
import { BackupFault, type Content, createCounter } from './manifest.ts';

/** A copy of the database as of one moment. */
export interface Snapshot extends Content, CopiedContent {}

/**
 * Writes a durable copy of a database in use to an SQLite file, in one read transaction that blocks no writer. An
 * SQLite source is copied unchanged, since it may be from another release.
 */
export async function snapshot(source: string, target: string): Promise<Snapshot> {
  if (isPostgres(source)) await copyFromPostgres(source, target);
  else copySqliteFile(source, target);
  return { ...(await sealed(target)), ...readCopiedContent(target) };
}

/** Flushes a file to the disk, and returns its size and hash. */
async function sealed(path: string): Promise<Content> {
  await using file = await open(path, 'r+');
  await file.chmod(0o600);
  await file.sync();
  const counter = createCounter();
  await pipeline(file.createReadStream({ autoClose: false }), async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of counter.pass(pieces)) void piece;
  });
  return counter.content();
}

/**
 * Copies a snapshot of a PostgreSQL database of this release to a new SQLite file without blocking writers. Rejects
 * with a {@link BackupFault} for another release.
 */
async function copyFromPostgres(address: string, target: string): Promise<void> {
  await (await openDatabase(target)).destroy();
  const { readPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  await readPostgres(address, (reader) => fillFromPostgres(target, reader, refuseOther));
}

function refuseOther(found: readonly string[], known: readonly string[]): void {
  if (known.join() !== found.join())
    throw new BackupFault(
      `found tables of another release (the latest is ${found.at(-1)}), expected those of this one (${known.at(-1)}): use the release of the service`,
    );
}
