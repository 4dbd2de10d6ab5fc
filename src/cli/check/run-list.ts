import { listClientRules, listRequirements } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { print } from '../print.ts';

/** Flags of `svc list`. */
interface ListFlags {
  readonly json: boolean;
  readonly side: string;
}

/** Runs `svc list`; answers with the exit code. */
export function runList(words: readonly string[], { json, side }: ListFlags): number {
  if (side === 'client') return listClients(words, json);
  const rows = listRequirements(words.length === 0 ? undefined : words);
  const lines = rows.map(({ id, level, profile, treatment, text, covers }) => {
    const how = profile === 'full' ? `${treatment} (profile full)` : treatment;
    return [id.padEnd(20), level.padEnd(7), how.padEnd(32), covers > 0 ? `${text} (${covers} rows)` : text].join('');
  });
  print(json ? `${JSON.stringify(rows, null, 2)}\n` : `${lines.join('\n')}\n`);
  return exitCodes.ok;
}

function listClients(words: readonly string[], json: boolean): number {
  const rules = listClientRules(words.length === 0 ? undefined : words);
  const lines = rules.map(({ id, level, source, text }) => {
    const basis = source.startsWith('practice ') ? 'recommended' : 'contract';
    return [id.padEnd(20), level.padEnd(7), basis.padEnd(13), text].join('');
  });
  print(json ? `${JSON.stringify(rules, null, 2)}\n` : `${lines.join('\n')}\n`);
  return exitCodes.ok;
}
