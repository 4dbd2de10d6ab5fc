import { MissingPackage } from '#domain/load-optional.ts';
import { exitCodes } from './exit-codes.ts';
import { placeFault } from './place-fault.ts';
import { whileSaying } from './while-saying.ts';

/** What starts, or, where that fails for a reason of the operating system (a taken port, a folder of somebody else), a sentence and exit code 2. */
export async function startOrExit<Started>(command: string, start: () => Promise<Started>): Promise<Started> {
  try {
    return await whileSaying('starting', start);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Its sentence ends with a command, to be copied without a dot.
    if (error instanceof MissingPackage) return exitWith(`svc ${command}: ${error.message}`);
    const place = placeFault(error);
    if (place !== null) return exitWith(`svc ${command}: ${place}.`);
    const isTaken = 'syscall' in error && error.syscall === 'listen';
    if (!isTaken && !error.message.startsWith('found ')) throw error;
    const next = isTaken ? ' Choose another --host or --port; --port 0 takes a free one.' : '';
    return exitWith(`svc ${command}: ${error.message}.${next}`);
  }
}

function exitWith(text: string): never {
  console.error(text);
  return process.exit(exitCodes.usage);
}
