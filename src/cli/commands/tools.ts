import { Argument, Command } from 'commander';
import { commandTree, type Shell, shells, shellScript } from '../completion.ts';
import { exitCodes } from '../process-end.ts';
import { addDatabaseOptions, readPort } from '../flag-values.ts';
import { printLine } from '../print.ts';
import { withWaitMessage } from '../with-wait-message.ts';

/** Creates `svc completion`, which prints a completion script for a shell. */
export function completionCommand(allCommands: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'shell that reads the script').choices(shells))
    .action(async (shell: Shell) => {
      process.stdout.write(shellScript(shell, commandTree('svc', await allCommands())));
    });
}

/** Creates `svc doctor`, which checks whether this machine can run `svc serve` and `svc mock`. */
export function doctorCommand(): Command {
  const command = new Command('doctor').description('Check whether this machine can run `svc serve` and `svc mock`.');
  return addDatabaseOptions(command)
    .option('--integrations <file>', 'integrations file to check')
    .option('--json', 'print JSON: subject, result and finding of each check')
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
    .description('Give a remote browser a local host:port, for clients such as chromedriver (Selenium).')
    .argument('<cdpUrl>', 'cdpUrl of a browser')
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', readPort, 9222)
    .option('--ca <file>', 'further certificate authorities to trust, as a PEM file')
    .option('--proxy <url>', 'forward proxy to the browser, http://[user:password@]host:port')
    .action(async (cdpUrl: string, flags: { readonly port: number }) => {
      const { runTunnel } = await import('../tunnel/open-tunnel.ts');
      process.exitCode = await runTunnel(cdpUrl, { ...flags });
    });
}
