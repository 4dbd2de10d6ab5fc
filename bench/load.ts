import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runLoad } from './load/run-load.ts';
import { benchStored } from './load/stored.ts';

/** What a service bears: many clients at once, and many stored sessions. The part under load takes `minutes`. */
export async function benchLoad(folder: string, minutes: number): Promise<string[]> {
  const load = join(folder, 'clients');
  mkdirSync(load, { recursive: true });
  return [...(await runLoad(load, minutes)), ...(await benchStored(join(folder, 'stored')))];
}
