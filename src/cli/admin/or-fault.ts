import { exitCodes } from '../exit-codes.ts';
import { AdminFault } from './admin-fault.ts';

/** Does an administrative command: a fault of the caller is a sentence and exit code 2; anything else is a bug. */
export async function orFault(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AdminFault)) throw error;
    console.error(`svc admin: ${error.message}`);
    process.exitCode = exitCodes.usage;
  }
}
