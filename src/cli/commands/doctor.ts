import { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { databaseOption } from '../postgres-address.ts';
import { whileSaying } from '../while-saying.ts';
import { printLine } from '../print.ts';

/** `svc doctor`: whether this machine can run `svc serve` and `svc mock`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say whether this machine has what serve and mock need.')
    .option('--data <folder>', 'the folder that serve would keep its state in', '.svc/data')
    .addOption(databaseOption())
    .option('--json', 'as JSON: what was looked at, whether it is well, and what was found')
    .action(doctor);
}

interface Flags {
  readonly data: string;
  readonly database?: string;
  readonly json?: true;
}

async function doctor({ data, database, json }: Flags): Promise<void> {
  const { examineMachine } = await import('../doctor/examine-machine.ts');
  const { examineDatabase } = await import('../doctor/examine-database.ts');
  const findings = [
    ...(await whileSaying('looking at the machine', () => examineMachine(data))),
    ...(database === undefined ? [] : [await examineDatabase(database)]),
  ];
  if (json === true) printLine(JSON.stringify(findings, null, 2));
  else for (const { ok, subject, text } of findings) printLine(`${ok ? 'ok ' : 'BAD'}  ${subject}: ${text}`);
  process.exitCode = findings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.usage;
}
