import { Command, Option } from 'commander';
import { collect, readCount, readPort } from '../flag-values.ts';

/** Creates `svc check`, which judges a deployment by the contract. */
export function checkCommand(): Command {
  return new Command('check')
    .description('Judge a deployment of the service by the contract.')
    .argument('<url>', 'address of the service, without /api/v3')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option('--other-api-key <key>', 'key of another project, for tenancy (default: SVC_OTHER_API_KEY)')
    .addOption(
      new Option(
        '--profile <name>',
        'smoke: at most 5 free requests; documented (default): the contract; full: also what goes beyond it, reported apart',
      ).choices(['smoke', 'documented', 'full']),
    )
    .option('--read-only', 'send nothing but GET; what needs more is not run')
    .option(
      '--patient',
      'wait for minutes until addresses and idle sessions end, where no control address moves the clock',
    )
    .option('--certify <generations>', 'show the frozen set of v2, v3 or v4, separated by commas')
    .option('--baseline <file>', 'known failures to accept until they expire; one that is gone fails the run')
    .option('--update-baseline', 'write the file of --baseline again; needs --reason and --expires')
    .option('--reason <text>', 'why new known failures are accepted')
    .option('--expires <date>', 'last day on which they are accepted, YYYY-MM-DD')
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy for all that is sent, http://[user:password@]host:port')
    .option('--target <file>', 'what the contract does not show about the target; `svc init` writes one')
    .option('--only <words>', 'requirement ids, areas or generations, separated by commas')
    .addOption(
      new Option('--spend <level>', 'what the run may cost')
        .choices(['none', 'storage', 'browser', 'task'])
        .default('none'),
    )
    .option('--max-dispatches <n>', 'tasks dispatched at most (default: 25; unlimited with --matrix full)')
    .option('--max-cost-usd <n>', 'end the run before it could cost more; what lives counts with its ceiling')
    .addOption(
      new Option('--matrix <size>', 'acceptance cells to dispatch').choices(['sample', 'full']).default('sample'),
    )
    .option('--dry-run', 'print what would be created and dispatched, and send nothing')
    .option('--stateful-runs <n>', 'scripts drawn and played for each life cycle (default: 3; 0 = none)')
    .option('--seed <n>', 'seed of everything drawn')
    .option('--replay <token>', 'judge one case of an earlier report again')
    .option('--shard <i/n>', 'do one of n parts of the run; needs --seed, see `svc report merge`')
    .option('--time-limit <time>', 'end the run after this time, for example 5m')
    .option('--timeout <time>', 'longest wait for one answer', '30s')
    .option(
      '--rate <rate>',
      'requests per second, for example 20/s; 0 = unlimited (default: 20/s; unlimited on loopback)',
    )
    .option('--retry-after-max <time>', 'longest wait that an answer with Retry-After may ask for', '60s')
    .option('--concurrency <n>', 'requests in flight at once', '8')
    .option(
      '--max-failures <n>',
      'end the run after this number of failed requirements; what judges most for each request comes first then',
    )
    .option('--trace', 'print every exchange to stderr as it happens, secrets hidden')
    .option('--strict', 'also fail when a requirement was not testable or not run')
    .option(
      '--report <list>',
      'terminal and json, html, md, junit, badge or har =FILE, where - is standard output; separated by commas',
      'terminal',
    )
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .action(async (url: string, flags: Record<string, unknown>) => {
      const { runCheck } = await import('../check/run-check.ts');
      process.exitCode = await runCheck(url, flags);
    });
}

/** Creates `svc check-client`, which judges a client program. */
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
