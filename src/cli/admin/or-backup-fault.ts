import { exitCodes } from '../exit-codes.ts';

/** What speaks against a backup or its restoration is a sentence and exit code 2; anything else is a bug. */
export async function orBackupFault(work: () => Promise<void>): Promise<void> {
  const { BackupFault } = await import('#backend/backup/index.ts');
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    console.error(`svc admin: ${error.message}`);
    process.exitCode = exitCodes.usage;
  }
}
