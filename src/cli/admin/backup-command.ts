import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseS3Address } from '#store/blobs/blobs.ts';
import { databaseOption } from '../postgres-address.ts';
import { whileSaying } from '../while-saying.ts';
import { takingBack } from './taking-back.ts';

/** `svc admin backup`: a copy of everything that a service keeps. */
export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'Copy everything that a service keeps, also while it runs: database, files and the secrets that open them.',
    )
    .argument(
      '<folder>',
      'where the copy is written: an empty folder, or one that is made; guard it like the data folder',
    )
    .option('--data <folder>', 'the data folder of the service', '.svc/data')
    .addOption(databaseOption())
    .addOption(
      new Option(
        '--blobs <address>',
        'the bucket of the service, as svc serve has it: its files are named and not copied (default: files below --data)',
      )
        .env('SVC_BLOBS')
        .argParser(bucket),
    )
    .action((folder: string, flags: Flags) => backUp(folder, flags));
}

interface Flags {
  readonly data: string;
  readonly database?: string;
  readonly blobs?: string;
}

async function backUp(folder: string, { data, database, blobs }: Flags): Promise<void> {
  const { createBackup } = await import('#platform/backup/index.ts');
  const place = { dataFolder: resolve(data), folder: resolve(folder), ...(database === undefined ? {} : { database }) };
  const options = { ...place, bucket: blobs ?? null, nowMs: Date.now() };
  const { files, bucketKeys, missing } = await whileSaying('copying', () =>
    takingBack(place.folder, () => createBackup(options)),
  );
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  console.log(`backed up ${files.length} files of ${bytes} bytes to ${place.folder}`);
  if (blobs !== undefined) console.log(`named ${bucketKeys.length} files of ${blobs}, which were not copied`);
  if (missing.length > 0)
    console.error(`svc admin: ${missing.length} files were gone before: see missing in manifest.json`);
}

function bucket(text: string): string {
  if (parseS3Address(text) !== null) return text;
  throw new InvalidArgumentError(
    'Expected s3://bucket/prefix?endpoint=https://host&region=name; all but the bucket may be left out.',
  );
}
