import { Argument, Command } from 'commander';
import { commandTree, type Shell, shells, shellScript } from '../completion.ts';
import { exitCodes } from '../process-end.ts';
import { readPort, databaseOption } from '../flag-values.ts';
import { printLine } from '../print.ts';
import { withWaitMessage } from '../with-wait-message.ts';

/** Creates `svc completion`, which prints a completion script for a shell. */
export function completionCommand(allCommands: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('Print a script that lets a shell complete commands, options and values with the tab key.')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(shells))
    .action(async (shell: Shell) => {
      process.stdout.write(shellScript(shell, commandTree('svc', await allCommands())));
    });
}

/** Creates `svc doctor`, which checks whether this machine can run `svc serve` and `svc mock`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say whether this machine has what serve and mock need.')
    .option('--data <folder>', 'the folder that serve would keep its state in', '.svc/data')
    .addOption(databaseOption())
    .option('--integrations <file>', 'the file of --integrations that serve would read')
    .option('--json', 'as JSON: what was looked at, whether it is well, and what was found')
    .action(doctor);
}

interface Flags {
  readonly data: string;
  readonly database?: string;
  readonly integrations?: string;
  readonly json?: true;
}

async function doctor({ data, database, integrations, json }: Flags): Promise<void> {
  const { examineMachine, examineDatabase, examineIntegrations } = await import('../examine-machine.ts');
  const findings = [
    ...(await withWaitMessage('looking at the machine', () => examineMachine(data))),
    ...(database === undefined ? [] : [await examineDatabase(database)]),
    ...(integrations === undefined ? [] : [await examineIntegrations(integrations)]),
  ];
  if (json === true) printLine(JSON.stringify(findings, null, 2));
  else for (const { ok, subject, text } of findings) printLine(`${ok ? 'ok ' : 'BAD'}  ${subject}: ${text}`);
  process.exitCode = findings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.usage;
}

/** Creates `svc tunnel`, which opens a local port to a browser for clients that require host:port. */
export function tunnelCommand(): Command {
  return new Command('tunnel')
    .description(
      'Give a browser an address on this machine, for clients such as chromedriver (Selenium) that take nothing but host:port.',
    )
    .argument('<cdpUrl>', 'the cdpUrl of a browser, as it was given')
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', readPort, 9222)
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy on the way to the browser, http://[user:password@]host:port')
    .action(async (cdpUrl: string, flags: { readonly port: number }) => {
      const { runTunnel } = await import('../tunnel/open-tunnel.ts');
      process.exitCode = await runTunnel(cdpUrl, { ...flags });
    });
}
