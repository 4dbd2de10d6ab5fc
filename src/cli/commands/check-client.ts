import { Command } from 'commander';
import { readCount, readPort } from '../flag-values.ts';

/** `svc check-client`: judges a program that uses the service. */
export function checkClientCommand(): Command {
  return new Command('check-client')
    .description('Judge a program that uses the service: run it against a mock with faults, and look at what it sends.')
    .argument('[command...]', 'the program and its arguments, after --')
    .option('--observe <url>', 'put nothing in: judge what a client of your own sends to a deployment, until Ctrl-C')
    .option(
      '--port <n>',
      'port of 127.0.0.1 that the client is pointed to, with --observe (default: a free one)',
      readPort,
    )
    .option('--only <words>', 'rule ids, areas, scenarios, trials or generations, separated by commas')
    .option('--seed <n>', 'seed of everything drawn', readCount, 1)
    .option('--concurrency <n>', 'programs that run at the same time', readCount, 8)
    .option('--strict', 'also fail for a rule that was not testable')
    .option(
      '--report <list>',
      'terminal and json, html, md or junit =FILE, where - is standard output; separated by commas',
      'terminal',
    )
    .option('--details', 'show every finding with its requests on the terminal')
    .action(async (command: string[], flags: Record<string, unknown>) => {
      const { runCheckClient } = await import('../check-client/run-check-client.ts');
      process.exitCode = await runCheckClient(command, flags);
    });
}
