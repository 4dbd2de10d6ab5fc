import { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';

/** `svc doctor`: whether this machine can run `svc serve` and `svc mock`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say whether this machine has what serve and mock need.')
    .option('--data <folder>', 'the folder that serve would keep its state in', '.svc/data')
    .action(doctor);
}

async function doctor({ data }: { readonly data: string }): Promise<void> {
  const { examineMachine } = await import('../doctor/examine-machine.ts');
  const findings = await examineMachine(data);
  for (const { ok, subject, text } of findings) console.log(`${ok ? 'ok ' : 'BAD'}  ${subject}: ${text}`);
  process.exitCode = findings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.usage;
}
