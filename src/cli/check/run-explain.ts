import { explain, explainClientRule, findClientRule } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { print } from '../print.ts';

/** Runs `svc explain`; answers with the exit code. */
export function runExplain(id: string): number {
  const clientRule = findClientRule(id);
  print(clientRule === undefined ? explain(id) : explainClientRule(clientRule));
  return exitCodes.ok;
}
