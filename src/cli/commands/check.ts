import { Command, Option } from 'commander';
import { collect, readCount, readPort } from '../flag-values.ts';

/** Creates `svc check`, which judges a deployment by the contract. */
export function checkCommand(): Command {
  const command = new Command('check')
    .description('Judge whether a deployment keeps the contract.')
    .argument('<url>', 'URL of the service, without /api/v3')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option(
      '--other-api-key <key>',
      'key of another project, to check that projects are separate (default: SVC_OTHER_API_KEY)',
    )
    .addOption(
      new Option(
        '--profile <name>',
        'smoke: at most 5 free requests; documented (default): the contract; full: further requirements too, reported apart',
      ).choices(['smoke', 'documented', 'full']),
    )
    .option('--read-only', 'send only GET; requirements that need other methods are not run')
    .option('--patient', 'wait minutes for URLs and sessions to expire, where no control address moves the clock')
    .option('--certify <generations>', 'require every MUST of the frozen set of v2, v3 or v4, separated by commas')
    .option('--baseline <file>', 'known failures to accept; an entry whose failure no longer occurs fails the run')
    .option('--update-baseline', 'write the file of --baseline again; needs --reason and --expires')
    .option('--reason <text>', 'why new known failures are accepted')
    .option('--expires <date>', 'last day on which they are accepted, YYYY-MM-DD')
    .option('--ca <file>', 'further certificate authorities to trust, as a PEM file')
    .option('--proxy <url>', 'forward proxy for all requests, http://[user:password@]host:port')
    .option(
      '--target <file>',
      'target file: facts about the deployment that the contract does not contain; `svc init` writes one',
    )
    .option('--only <words>', 'requirement ids, areas (`svc list` shows both) or generations, separated by commas');
  return addBounds(command)
    .option('--trace', 'print every request and answer to standard error, with secrets hidden')
    .option('--strict', 'also fail if a requirement was not testable or not run')
    .option(
      '--report <list>',
      'terminal, or a format and a file: json=FILE, html=FILE, md, junit, badge, har; - is standard output; separated by commas',
      'terminal',
    )
    .option('--details', 'show every finding, the areas, and the ids that were not judged')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .action(async (url: string, flags: Record<string, unknown>) => {
      const { runCheck } = await import('../check/run-check.ts');
      process.exitCode = await runCheck(url, flags);
    });
}

/** Adds the flags that bound a run: what it creates, how long it takes and how much it sends. */
function addBounds(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--spend <level>',
        'what the run may create; storage: profiles and files; browser: also browsers; task: also tasks',
      )
        .choices(['none', 'storage', 'browser', 'task'])
        .default('none'),
    )
    .option('--max-dispatches <n>', 'maximum number of tasks (default: 25; unlimited with --matrix full)')
    .option(
      '--max-cost-usd <n>',
      'end the run before it could cost more; a living resource counts with its cost ceiling',
    )
    .addOption(
      new Option('--matrix <size>', 'how many of the accepted values to try with a task each')
        .choices(['sample', 'full'])
        .default('sample'),
    )
    .option('--dry-run', 'print what would be created, and send nothing')
    .option('--stateful-runs <n>', 'random scripts of operations for each life cycle (default: 3; 0 = none)')
    .option('--seed <n>', 'seed of all random choices')
    .option('--replay <token>', 'repeat one case of an earlier report')
    .option('--shard <i/n>', 'run part i of n; needs --seed, see `svc report merge`')
    .option('--time-limit <time>', 'end the run after this time, for example 5m; clean-up follows')
    .option('--timeout <time>', 'maximum wait for one answer', '30s')
    .option(
      '--rate <rate>',
      'requests per second, for example 20/s; 0 = unlimited (default: 20/s; unlimited on loopback)',
    )
    .option('--retry-after-max <time>', 'maximum wait that is accepted from Retry-After', '60s')
    .option('--concurrency <n>', 'requests in flight at once', '8')
    .option(
      '--max-failures <n>',
      'end the run after this number of failed requirements; checks that judge most for each request come first',
    );
}

/** Creates `svc check-client`, which judges a client program. */
export function checkClientCommand(): Command {
  return new Command('check-client')
    .description('Judge a client program: run it against a mock with faults, and check its requests and output.')
    .argument('[command...]', 'the program and its arguments, after --')
    .option('--observe <url>', 'inject no faults: judge the requests of your client to a deployment, until Ctrl-C')
    .option('--port <n>', 'port on 127.0.0.1 for the client, with --observe (default: a free one)', readPort)
    .option('--only <words>', 'rule ids, areas, scenarios, trials or generations, separated by commas')
    .option('--seed <n>', 'seed of all random choices', readCount, 1)
    .option('--concurrency <n>', 'programs that run at the same time', readCount, 8)
    .option('--strict', 'also fail if a rule was not testable')
    .option(
      '--report <list>',
      'terminal, or a format and a file: json=FILE, html=FILE, md, junit; - is standard output; separated by commas',
      'terminal',
    )
    .option('--details', 'show every finding with its requests')
    .action(async (command: string[], flags: Record<string, unknown>) => {
      const { runCheckClient } = await import('../check-client/run-check-client.ts');
      process.exitCode = await runCheckClient(command, flags);
    });
}
