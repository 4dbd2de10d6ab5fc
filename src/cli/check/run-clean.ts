import { clean, leftText, readEntries, readTextFile, reportUse } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { whileSaying } from '../while-saying.ts';
import { type Flags, readApiKey, readHeaders, readNetwork, readOtherApiKey, readTarget, text } from './read-flags.ts';
import { print } from '../print.ts';

/** Runs `svc clean`; answers with the exit code. */
export async function runClean(file: string, flags: Flags): Promise<number> {
  const { url, stamp, entries } = readEntries(readTextFile(file, reportUse), file);
  const otherApiKey = readOtherApiKey(flags);
  const options = {
    target: readTarget(url, text(flags, 'target')),
    apiKey: readApiKey(flags),
    ...(otherApiKey === undefined ? {} : { otherApiKey }),
    headers: readHeaders(flags['header']),
    network: readNetwork(flags),
    ...(stamp === undefined ? {} : { stamp }),
    entries,
  };
  const after = await whileSaying('ending what is left', () => clean(options));
  const ended = after.entries.filter(({ state }) => state === 'ended').length;
  print(`${ended} ended, ${after.left.length} left\n`);
  for (const entry of after.left) {
    const { candidates, curl } = entry;
    print(`left: ${leftText(entry)}\n`);
    if (candidates !== undefined) print(`  may be one of: ${candidates.join(', ')}\n`);
    if (curl !== undefined) print(`  ${entry.id === undefined ? 'list' : 'end'}: ${curl}\n`);
  }
  return after.left.length === 0 ? exitCodes.ok : exitCodes.violation;
}
