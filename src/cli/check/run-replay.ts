import { type ReplayToken, SuiteError, readClientToken, readReplayToken, targetDigest } from '#conformance/index.ts';
import { type Flags, readTarget, text } from './read-flags.ts';
import { runCheck } from './run-check.ts';
import { printError } from '../print.ts';

/** Runs `svc replay`; answers with the exit code. */
export async function runReplay(word: string, command: readonly string[], flags: Flags): Promise<number> {
  const ofClient = readClientToken(word);
  if (ofClient !== undefined) {
    const { trial, seed } = ofClient;
    const { runCheckClient } = await import('../check-client/run-check-client.ts');
    return await runCheckClient(command, { details: flags['details'], only: trial, seed, concurrency: 1 });
  }
  const token = readReplayToken(word);
  const url = text(flags, 'url') ?? token.url;
  if (url === undefined) {
    const expected = 'the address of the target';
    throw new SuiteError('usage', { found: 'a token without an address', expected, next: 'pass --url' });
  }
  warnOfTarget(url, token, text(flags, 'target'));
  return await runCheck(url, { ...flags, replay: word, spend: token.spend ?? 'none' });
}

// The words of a target file decide what is sent and what is expected.
function warnOfTarget(url: string, { target }: ReplayToken, file: string | undefined): void {
  if (target === undefined || target === targetDigest(readTarget(url, file))) return;
  const found =
    file === undefined
      ? 'no --target is given, and the report was made with a target file'
      : `${file} is not the target file of the report, or has changed`;
  printError(`note: ${found}; the case may come out otherwise\n`);
}
