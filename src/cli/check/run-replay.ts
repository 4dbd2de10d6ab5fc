import { SuiteError, readReplayToken } from '#conformance/index.ts';
import { exitForError } from './exit-for-error.ts';
import { type Flags, text } from './read-flags.ts';
import { runCheck } from './run-check.ts';

/** Runs `svc replay`; answers with the exit code. */
export async function runReplay(word: string, flags: Flags): Promise<number> {
  try {
    const token = readReplayToken(word);
    const url = text(flags, 'url') ?? token.url;
    if (url === undefined) {
      const expected = 'the address of the target';
      throw new SuiteError('usage', { found: 'a token without an address', expected, next: 'pass --url' });
    }
    return await runCheck(url, { ...flags, replay: word, spend: token.spend ?? 'none' });
  } catch (error) {
    return exitForError(error);
  }
}
