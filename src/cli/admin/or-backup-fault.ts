import { exitCodes } from '../exit-codes.ts';
import { placeFault } from '../place-fault.ts';

/** What speaks against a backup or its restoration is a sentence and exit code 2; anything else is a bug. */
export async function orBackupFault(work: () => Promise<void>): Promise<void> {
  const { BackupFault } = await import('#backend/backup/index.ts');
  try {
    await work();
  } catch (error) {
    const text = error instanceof BackupFault ? error.message : placeFault(error);
    if (text === null) throw error;
    console.error(`svc admin: ${text}`);
    process.exitCode = exitCodes.usage;
  }
}
