import { listRequirements } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { print } from '../print.ts';

/** Runs `svc list`; answers with the exit code. */
export function runList(words: readonly string[], json: boolean): number {
  const rows = listRequirements(words.length === 0 ? undefined : words);
  const lines = rows.map(({ id, level, profile, treatment, text, covers }) => {
    const how = profile === 'full' ? `${treatment} (profile full)` : treatment;
    return [id.padEnd(20), level.padEnd(7), how.padEnd(32), covers > 0 ? `${text} (${covers} rows)` : text].join('');
  });
  print(json ? `${JSON.stringify(rows, null, 2)}\n` : `${lines.join('\n')}\n`);
  return exitCodes.ok;
}
