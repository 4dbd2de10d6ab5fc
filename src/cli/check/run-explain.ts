import { explain } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { print } from '../print.ts';

/** Runs `svc explain`; answers with the exit code. */
export function runExplain(id: string): number {
  print(explain(id));
  return exitCodes.ok;
}
