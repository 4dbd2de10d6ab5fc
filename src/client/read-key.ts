import { clientFacts } from '#generated/client-facts.ts';
import { ClientFault } from './client-fault.ts';

/** The key that was passed, else that of the environment (contract 5 Authentication 5). Throws ClientFault where there is none. */
export function readKey(passed: string | undefined): string {
  const key = passed ?? environment()[clientFacts.keyVariable];
  if (key !== undefined && key !== '') return key;
  throw new ClientFault(`found no API key, expected apiKey or the environment variable ${clientFacts.keyVariable}`);
}

/** Pages have no process, and bundlers put none in. */
function environment(): Readonly<Record<string, string | undefined>> {
  return typeof process === 'undefined' ? {} : (process.env ?? {});
}
