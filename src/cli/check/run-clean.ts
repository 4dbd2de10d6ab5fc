import { clean, parseJson, readEntries } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitForError } from './exit-for-error.ts';
import { type Flags, readApiKey, readNetwork, readTarget, readText, text } from './read-flags.ts';

/** Runs `svc clean`; answers with the exit code. */
export async function runClean(file: string, flags: Flags): Promise<number> {
  try {
    const { url, entries } = readEntries(parseJson(readText(file)));
    const target = readTarget(url, text(flags, 'target'));
    const after = await clean({ target, apiKey: readApiKey(flags), network: readNetwork(flags), entries });
    const left = after.filter(({ state }) => state === 'live');
    process.stdout.write(`${after.length - left.length} ended, ${left.length} left\n`);
    for (const { generation, kind, id } of left) process.stdout.write(`left: ${generation} ${kind} ${id}\n`);
    return left.length === 0 ? exitCodes.ok : exitCodes.violation;
  } catch (error) {
    return exitForError(error);
  }
}
