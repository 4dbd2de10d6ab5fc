import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type BlobFolder, parseBlobFolder, parseS3Address } from '#store/storage-addresses.ts';
import { addDatabaseOptions, databaseOption } from '../flag-values.ts';
import { withWaitMessage } from '../with-wait-message.ts';
import { type DatabaseLocation, removingOnInterrupt } from './admin-database.ts';

/**
 * Creates `svc admin backup`, which copies the database, files and secrets of a service. Files in a bucket are listed
 * and not copied.
 */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Back up database, files and secrets of a service, also while it runs.')
    .argument('<folder>', 'folder of the backup, empty or not yet existing; protect it like the data folder');
  return addDatabaseOptions(command)
    .addOption(
      new Option(
        '--blobs <address>',
        'bucket or folder of the files, as for svc serve; files of a bucket are only listed (default: below --data)',
      )
        .env('SVC_BLOBS')
        .argParser(parseBlobs),
    )
    .action((folder: string, flags: Flags) => backUp(folder, flags));
}

interface Flags {
  readonly data: string;
  readonly database?: string;
  readonly blobs?: BlobFolder | { readonly bucket: string };
}

async function backUp(folder: string, { data, database, blobs }: Flags): Promise<void> {
  const { createBackup } = await import('#platform/backup/backup.ts');
  const place = { dataFolder: resolve(data), folder: resolve(folder), ...(database === undefined ? {} : { database }) };
  const bucket = blobs !== undefined && 'bucket' in blobs ? blobs.bucket : null;
  const blobFolder = blobs !== undefined && 'folder' in blobs ? { blobFolder: blobs.folder } : {};
  const options = { ...place, ...blobFolder, bucket, nowMs: Date.now() };
  const { files, bucketKeys, missing } = await withWaitMessage('copying', () =>
    removingOnInterrupt(place.folder, () => createBackup(options)),
  );
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  console.log(`backed up ${files.length} files of ${bytes} bytes to ${place.folder}`);
  if (bucket !== null) console.log(`named ${bucketKeys.length} files of ${bucket}, which were not copied`);
  if (missing.length > 0)
    console.error(`svc admin: ${missing.length} files were gone before: see missing in manifest.json`);
}

function parseBlobs(text: string): NonNullable<Flags['blobs']> {
  if (parseS3Address(text) !== null) return { bucket: text };
  const folder = parseBlobFolder(text);
  if (folder !== null) return folder;
  throw new InvalidArgumentError(
    'Expected s3://bucket/prefix?endpoint=https://host&region=name; all but the bucket may be left out; or file:///folder.',
  );
}

/** Creates `svc admin restore`, which creates a data folder from a backup. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('Restore a backup into a new data folder; every file is checked against the manifest.')
    .argument('<folder>', 'the backup')
    .option('--data <folder>', 'new data folder, empty or not yet existing', '.svc/data')
    .addOption(databaseOption())
    .action((folder: string, flags: DatabaseLocation) => restore(folder, flags));
}

async function restore(folder: string, { data, database }: DatabaseLocation): Promise<void> {
  const { restoreBackup } = await import('#platform/backup/backup.ts');
  const dataFolder = resolve(data);
  const from = { folder: resolve(folder), dataFolder, ...(database === undefined ? {} : { database }) };
  const { files, createdAt, bucket } = await withWaitMessage('restoring', () =>
    removingOnInterrupt(dataFolder, () => restoreBackup(from)),
  );
  console.log(`restored ${files.length} files of ${createdAt} to ${dataFolder}`);
  if (bucket !== null) console.log(`the other files are in ${bucket}: start with --blobs`);
}
