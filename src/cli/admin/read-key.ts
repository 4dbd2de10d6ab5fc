import { text } from 'node:stream/consumers';
import { AdminFault } from './admin-fault.ts';

/** The variable that a key may stand in. */
export const keyVariable = 'SVC_PROVIDER_KEY';

/** Where a key may come from: never the command line, which every process of the machine can read. */
export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream;
}

/** The key of the variable, or else of the input. Rejects with an {@link AdminFault} for what no header can carry, without showing it. */
export async function readKey({ environment, input }: KeySources): Promise<string> {
  const key = (environment[keyVariable] ?? (await text(input))).trim();
  if (/^[\x21-\x7e]{8,4096}$/.test(key)) return key;
  throw new AdminFault(
    `found ${key.length} characters, expected a key of 8 to 4096 printable characters without spaces, in ${keyVariable} or on the standard input`,
  );
}
