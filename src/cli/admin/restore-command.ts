import { resolve } from 'node:path';
import { Command } from 'commander';
import { databaseOption } from '../postgres-address.ts';
import { whileSaying } from '../while-saying.ts';
import { takingBack } from './taking-back.ts';
import type { Place } from './with-database.ts';

/** `svc admin restore`: a data folder made of a backup. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('Make a data folder of a backup; every file is checked against its manifest.')
    .argument('<folder>', 'the backup')
    .option('--data <folder>', 'the data folder to make: an empty one, or one that is made', '.svc/data')
    .addOption(databaseOption())
    .action((folder: string, flags: Place) => restore(folder, flags));
}

async function restore(folder: string, { data, database }: Place): Promise<void> {
  const { restoreBackup } = await import('#platform/backup/index.ts');
  const dataFolder = resolve(data);
  const from = { folder: resolve(folder), dataFolder, ...(database === undefined ? {} : { database }) };
  const { files, createdAt, bucket } = await whileSaying('restoring', () =>
    takingBack(dataFolder, () => restoreBackup(from)),
  );
  console.log(`restored ${files.length} files of ${createdAt} to ${dataFolder}`);
  if (bucket !== null) console.log(`the other files are in ${bucket}: start with --blobs`);
}
