import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyHashed, fillEmptyFolder, syncFolder } from './files.ts';
import { BackupFault, type Content, databaseFile, type Manifest, writeManifest } from './manifest.ts';
import { type Snapshot, snapshot } from './snapshot.ts';

/** What is backed up, and where to. */
export interface BackupOptions {
  /** Data folder of a service, which may be running. */
  readonly dataFolder: string;
  /** Address of its PostgreSQL database; absent for the file in the folder. */
  readonly database?: string;
  /** Where the backup is written: an empty folder, or one that is made. */
  readonly folder: string;
  /** Address of the bucket that holds the blobs, whose keys are then only named; null when they lie below the data folder. */
  readonly bucket: string | null;
  /** When it begins, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Snapshots until none refers to bytes that were removed behind it; each further one copies only what is new. */
const roundsMax = 10;

/** Files of the data folder that are not copied as they are: the database is copied by itself, the lock is of one process. */
const notAsTheyAre = /^(?:svc|lock)\.sqlite/;

/**
 * Copies what a service keeps: all that it had acknowledged before this began, as it was at one moment while this ran. Sealed
 * values can be read with the copy alone, so it is worth as much as the data folder. Rejects with a {@link BackupFault}, or with what
 * the operating system says; then nothing is left.
 */
export async function createBackup(options: BackupOptions): Promise<Manifest> {
  const { dataFolder, folder } = options;
  if (options.database === undefined && !existsSync(join(dataFolder, databaseFile)))
    throw new BackupFault(
      `found no ${databaseFile} in ${dataFolder}, expected the data folder of a service that was started once`,
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
      missing: missing.flatMap((path) => (path.startsWith('blobs/') ? [path.slice('blobs/'.length)] : [])),
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
  /** Paths of bytes that were gone before the snapshot. */
  readonly missing: readonly string[];
}

/** A snapshot and the bytes of its rows. Bytes go after their rows: those that a later snapshot still names were gone before. */
async function copyAtOneMoment({ dataFolder, database, folder, bucket }: BackupOptions): Promise<OneMoment> {
  const copied: Copied = new Map();
  const gone = new Set<string>();
  const target = join(folder, databaseFile);
  for (let round = 0; round < roundsMax; round += 1) {
    await rm(target, { force: true });
    const taken = await snapshot(database ?? join(dataFolder, databaseFile), target);
    const wanted = wantedPaths(taken, bucket !== null);
    const missing: string[] = [];
    for (const path of wanted) {
      if (copied.has(path)) continue;
      const content = await copyHashed(join(dataFolder, path), join(folder, path));
      if (content === null) missing.push(path);
      else copied.set(path, content);
    }
    if (missing.every((path) => gone.has(path))) {
      await dropUnwanted(folder, copied, wanted);
      return { taken, copied, missing };
    }
    for (const path of missing) gone.add(path);
  }
  throw new BackupFault(
    `found files removed behind each of ${roundsMax} snapshots, expected one without: try again when less is deleted`,
  );
}

/** Paths of all bytes that belong to a snapshot: blobs, and videos that grow. */
function wantedPaths({ keys, openRecordings }: Snapshot, inBucket: boolean): ReadonlySet<string> {
  const blobs = inBucket ? [] : [...keys].map((key) => `blobs/${key}`);
  return new Set([...blobs, ...openRecordings.map((id) => `recordings/${id}.webm`)]);
}

/**
 * Removes files of an earlier snapshot that the last one does not reference; after a restore they would never be
 * removed.
 */
async function dropUnwanted(folder: string, copied: Copied, wanted: ReadonlySet<string>): Promise<void> {
  for (const path of copied.keys()) {
    if (wanted.has(path)) continue;
    await rm(join(folder, path));
    copied.delete(path);
  }
}

/** Copies the files of a data folder itself: the secrets that addresses are signed and values are sealed with. */
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
