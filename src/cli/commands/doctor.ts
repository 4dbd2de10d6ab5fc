import { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { databaseOption } from '../postgres-address.ts';

/** `svc doctor`: whether this machine can run `svc serve` and `svc mock`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say whether this machine has what serve and mock need.')
    .option('--data <folder>', 'the folder that serve would keep its state in', '.svc/data')
    .addOption(databaseOption())
    .action(doctor);
}

async function doctor({ data, database }: { readonly data: string; readonly database?: string }): Promise<void> {
  const { examineMachine } = await import('../doctor/examine-machine.ts');
  const { examineDatabase } = await import('../doctor/examine-database.ts');
  const findings = [
    ...(await examineMachine(data)),
    ...(database === undefined ? [] : [await examineDatabase(database)]),
  ];
  for (const { ok, subject, text } of findings) console.log(`${ok ? 'ok ' : 'BAD'}  ${subject}: ${text}`);
  process.exitCode = findings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.usage;
}
