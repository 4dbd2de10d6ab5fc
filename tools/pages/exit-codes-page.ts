import { exitCodes } from '../../src/cli/process-end.ts';
import { page, table } from './markdown.ts';

const meanings = {
  ok: 'no violation found',
  violation:
    'at least one violation that is no known failure, or something left alive; with `--baseline` also a known failure that is gone; with `--certify` also a set that was not shown; with `--strict` also what was not testable or not run; `svc spec diff`: a change that breaks clients; `svc diff`: a row that got worse; `svc coverage --strict`: an operation that was never exercised',
  usage: 'wrong usage or configuration; a file that cannot be written; a known failure of a cell that does not exist',
  unreachable: 'the target cannot be reached, is no service, or refuses the key',
  interrupted: 'interrupted, or a limit of time or money ended the run early',
  internal: 'a fault of the suite itself',
} satisfies Record<keyof typeof exitCodes, string>;

const meaningOf = new Map<string, string>(Object.entries(meanings));

/** What the process answers with. */
export function exitCodesPage(): string {
  const rows = Object.entries(exitCodes).map(([name, code]) => [String(code), name, meaningOf.get(name) ?? '']);
  return page(
    'Exit codes',
    'A public interface: a change to one is a breaking change.',
    table(['Code', 'Name', 'Meaning'], rows),
  );
}
