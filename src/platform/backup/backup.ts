import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { copyHashed, fillEmptyFolder, syncFolder } from './files.ts';
import {
  BackupFault,
  type Content,
  type Manifest,
  createCounter,
  databaseFile,
  writeManifest,
  type BackedUpFile,
  readManifest,
} from './manifest.ts';
import { pipeline } from 'node:stream/promises';
import { loadOptional } from '#contract/load-optional.ts';
import { openDatabase, listMigrations } from '#store/open-database.ts';
import { isPostgres } from '#store/storage-addresses.ts';
import {
  type CopiedContent,
  copySqliteFile,
  fillFromPostgres,
  readCopiedContent,
  copyToWriter,
} from '#store/sqlite/copy-file.ts';
import { lockFolder, makePrivateFolder } from '#store/data-folder.ts';

/** Options of {@link createBackup}. */
export interface BackupOptions {
  /** Data folder of a service, which may be running. */
  readonly dataFolder: string;
  /** Address of the service's PostgreSQL database; undefined for the SQLite file in the data folder. */
  readonly database?: string;
  /** Target folder: empty, or not existing. */
  readonly folder: string;
  /**
   * Address of the bucket with the blobs; null for blobs in a folder. The backup lists only the keys of blobs in a
   * bucket.
   */
  readonly bucket: string | null;
  /** Folder of the blobs when they are not in a bucket. @defaultValue `blobs` in the data folder */
  readonly blobFolder?: string;
  /** Start time of the backup in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Maximum number of snapshots. A further snapshot is taken when files of the previous snapshot were deleted during the
 * copy. Files that were already copied are not copied again.
 */
const roundsMax = 10;

/**
 * Files of the data folder that are not copied: the database is copied separately, and the lock belongs to a process.
 */
const notAsTheyAre = /^(?:svc|lock)\.sqlite/;

/**
 * Copies the data of a service as of one moment during the call, including all changes that were acknowledged before
 * this moment. The copy contains the encryption secrets, so it needs the same protection as the data folder. Rejects
 * with a {@link BackupFault} or an operating system error, and then removes the copy.
 */
export async function createBackup(options: BackupOptions): Promise<Manifest> {
  const { dataFolder, folder } = options;
  if (options.database === undefined && !existsSync(join(dataFolder, databaseFile)))
    throw new BackupFault(
      `found no ${databaseFile} in ${dataFolder}. Expected the data folder of a service that was started once. Next: name it with --data`,
    );
  if (options.blobFolder !== undefined && !existsSync(options.blobFolder))
    throw new BackupFault(
      `found no folder ${options.blobFolder}. Expected the files of the service. Next: name their folder with --blobs`,
    );
  return fillEmptyFolder(folder, async () => {
    for (const below of ['blobs', 'recordings']) await mkdir(join(folder, below), { mode: 0o700 });
    const secrets = await copyTopFiles(dataFolder, folder);
    const { taken, copied, missing } = await copyAtOneMoment(options);
    for (const below of ['blobs', 'recordings', '.']) await syncFolder(join(folder, below));
    const files = new Map([...secrets, ...copied, [databaseFile, { size: taken.size, sha256: taken.sha256 }]]);
    const manifest: Manifest = {
      format: 1,
      createdAt: new Date(options.nowMs).toISOString(),
      migrations: taken.migrations,
      files: [...files].map(([path, content]) => ({ path, ...content })),
      bucket: options.bucket,
      bucketKeys: options.bucket === null ? [] : [...taken.keys].toSorted(),
      missing: missing.flatMap((path) => (path.startsWith(blobPrefix) ? [path.slice(blobPrefix.length)] : [])),
    };
    await writeManifest(folder, manifest);
    await syncFolder(folder);
    return manifest;
  });
}

type Copied = Map<string, Content>;

interface OneMoment {
  readonly taken: Snapshot;
  readonly copied: Copied;
  /** Paths of referenced files that were already missing before the backup. */
  readonly missing: readonly string[];
}

/**
 * Copies a snapshot of the database and the files that its rows reference. A service deletes a row before its file, so
 * a missing file that a later snapshot still references was missing before the backup. Rejects after `roundsMax`
 * snapshots with newly missing files.
 */
async function copyAtOneMoment(options: BackupOptions): Promise<OneMoment> {
  const { dataFolder, database, folder, bucket } = options;
  const copied: Copied = new Map();
  const missingKeys = new Set<string>();
  const target = join(folder, databaseFile);
  for (let round = 0; round < roundsMax; round += 1) {
    await rm(target, { force: true });
    const taken = await snapshot(database ?? join(dataFolder, databaseFile), target);
    const wanted = wantedPaths(taken, bucket !== null);
    const missing: string[] = [];
    for (const path of wanted) {
      if (copied.has(path)) continue;
      const content = await copyHashed(getSource(options, path), join(folder, path));
      if (content === null) missing.push(path);
      else copied.set(path, content);
    }
    if (missing.every((path) => missingKeys.has(path))) {
      await dropUnwanted(folder, copied, wanted);
      return { taken, copied, missing };
    }
    for (const path of missing) missingKeys.add(path);
  }
  throw new BackupFault(
    `found files removed behind each of ${roundsMax} snapshots, expected one without: try again when less is deleted`,
  );
}

const blobPrefix = 'blobs/';

/** Returns the path of a file in the folders of the service, from its path in the backup. */
function getSource({ dataFolder, blobFolder }: BackupOptions, path: string): string {
  const isElsewhere = blobFolder !== undefined && path.startsWith(blobPrefix);
  return isElsewhere ? join(blobFolder, path.slice(blobPrefix.length)) : join(dataFolder, path);
}

/**
 * Returns the paths of all files that a snapshot references: blobs, unless they are in a bucket, and open recordings.
 */
function wantedPaths({ keys, openRecordings }: Snapshot, inBucket: boolean): ReadonlySet<string> {
  const blobs = inBucket ? [] : [...keys].map((key) => `${blobPrefix}${key}`);
  return new Set([...blobs, ...openRecordings.map((id) => `recordings/${id}.webm`)]);
}

/**
 * Removes copied files that the last snapshot does not reference, because no service would remove them after a restore.
 */
async function dropUnwanted(folder: string, copied: Copied, wanted: ReadonlySet<string>): Promise<void> {
  for (const path of copied.keys()) {
    if (wanted.has(path)) continue;
    await rm(join(folder, path));
    copied.delete(path);
  }
}

/**
 * Copies the files at the top level of the data folder: the secrets for signatures and encryption. Skips the database,
 * the lock and hidden files.
 */
async function copyTopFiles(dataFolder: string, folder: string): Promise<Copied> {
  const copied: Copied = new Map();
  for (const entry of await readdir(dataFolder, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isFile() || notAsTheyAre.test(name) || name.startsWith('.')) continue;
    const content = await copyHashed(join(dataFolder, name), join(folder, name));
    if (content !== null) copied.set(name, content);
  }
  return copied;
}

/** A copy of the database as of one moment. */
export interface Snapshot extends Content, CopiedContent {}

/**
 * Writes a durable copy of a database in use to an SQLite file, in one read transaction that blocks no writer. An
 * SQLite source is copied unchanged, since it may be from another release.
 */
async function snapshot(source: string, target: string): Promise<Snapshot> {
  if (isPostgres(source)) await copyFromPostgres(source, target);
  else copySqliteFile(source, target);
  return { ...(await sealed(target)), ...readCopiedContent(target) };
}

/** Makes a file accessible to its owner only, flushes it to the disk, and returns its size and hash. */
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

/** Options of {@link restoreBackup}. */
export interface RestoreOptions {
  readonly folder: string;
  /** Target folder: empty, or not existing. */
  readonly dataFolder: string;
  /**
   * Address of an empty PostgreSQL database for the backup's tables; undefined for a SQLite file in the target folder.
   */
  readonly database?: string;
}

/**
 * Creates a data folder from a backup and verifies each file against the manifest. Rejects with a {@link BackupFault}
 * for an incomplete or changed backup, and for a backup of a newer release; the target then stays empty. A target that
 * is not empty is refused and unchanged.
 */
export async function restoreBackup({ folder, dataFolder, database }: RestoreOptions): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await refuseNewer(manifest);
  return fillEmptyFolder(dataFolder, async () => {
    // The lock prevents a service from starting on an incomplete folder.
    const unlock = lockFolder(dataFolder);
    try {
      // The database is copied last: without it a service does not accept the folder.
      const files = manifest.files.toSorted((one, other) => rank(one) - rank(other));
      for (const file of files) await restore(file, folder, dataFolder);
      if (database !== undefined) await moveToPostgres(join(dataFolder, databaseFile), database);
      for (const below of new Set(files.map(({ path }) => dirname(path)))) await syncFolder(join(dataFolder, below));
    } finally {
      unlock();
    }
    return manifest;
  });
}

/**
 * Copies the content of the SQLite file to the PostgreSQL database. Meanwhile no service can use the database. Then
 * deletes the file, so that no service starts with this second copy.
 */
async function moveToPostgres(file: string, address: string): Promise<void> {
  const { lockDatabase } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  const lock = await lockDatabase(address, () => undefined);
  try {
    await copyToPostgres(file, address);
  } finally {
    await lock.release();
  }
  for (const ending of ['', '-wal', '-shm']) await rm(`${file}${ending}`, { force: true });
}

function rank({ path }: BackedUpFile): number {
  return path === databaseFile ? 1 : 0;
}

async function restore({ path, size, sha256 }: BackedUpFile, folder: string, dataFolder: string): Promise<void> {
  const target = join(dataFolder, path);
  makePrivateFolder(dirname(target));
  const found = await copyHashed(join(folder, path), target);
  if (found === null) throw new BackupFault(`found no ${path} in ${folder}, expected what its manifest lists`);
  if (found.size === size && found.sha256 === sha256) return;
  throw new BackupFault(
    `found ${path} with ${found.size} bytes and SHA-256 ${found.sha256}, expected ${size} and ${sha256} as in the manifest: it was changed since`,
  );
}

/**
 * Rejects with a {@link BackupFault} for a backup of a newer release, because a release can migrate older tables only.
 */
async function refuseNewer({ migrations }: Manifest): Promise<void> {
  const known = await knownMigrations();
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new BackupFault(
    `found tables of a newer release (${unknown.join(', ')}), expected those of this one or an older one: restore it with that release`,
  );
}

/** Returns the names of this release's migrations, read from a new database. */
async function knownMigrations(): Promise<ReadonlySet<string>> {
  const db = await openDatabase(':memory:');
  try {
    return new Set(await listMigrations(db));
  } finally {
    await db.destroy();
  }
}

/**
 * Copies the rows of a SQLite file to an empty PostgreSQL database in one transaction, after migrating both. Rejects
 * with a {@link BackupFault} for a database with rows.
 */
async function copyToPostgres(file: string, address: string): Promise<void> {
  for (const database of [file, address]) await (await openDatabase(database)).destroy();
  const { fillPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  await fillPostgres(address, (writer) => copyToWriter(file, writer, refuseRows));
}

function refuseRows(table: string): never {
  throw new BackupFault(`found rows in ${table}, expected a database that no service has used`);
}
