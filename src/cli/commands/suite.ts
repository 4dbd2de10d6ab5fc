import { Command, Option } from 'commander';
import { collect } from '../flag-values.ts';

/** Creates `svc clean`, which removes resources that an earlier run left behind. */
export function cleanCommand(): Command {
  return new Command('clean')
    .description('End the resources that an earlier run has left.')
    .argument('<report>', 'JSON report of the run, or the .ledger file beside it after a crash')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option('--ca <file>', 'further certificate authorities to trust, as a PEM file')
    .option('--proxy <url>', 'forward proxy for all requests, http://[user:password@]host:port')
    .option('--other-api-key <key>', 'key of the other project of the run (default: SVC_OTHER_API_KEY)')
    .option('--target <file>', 'target file of the run')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .action(async (report: string, flags: Record<string, unknown>) => {
      const { runClean } = await import('../check/suite-commands.ts');
      process.exitCode = await runClean(report, flags);
    });
}

/**
 * Creates `svc coverage`, which shows the requests, statuses and members of each operation that a run has exercised.
 */
export function coverageCommand(): Command {
  return new Command('coverage')
    .description('Show which requests, statuses and members of each operation a run has exercised.')
    .argument('<report>', 'JSON report of a run (`svc check --report json=FILE`)')
    .option('--json', 'print JSON')
    .option('--strict', 'exit code 1 if an operation that the target offers was never exercised')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runCoverage } = await import('../check/suite-commands.ts');
      process.exitCode = runCoverage(file, flags);
    });
}

/** Creates `svc diff`, which compares two runs. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('Compare the verdicts of two reports.')
    .argument('<before>', 'JSON report of a run')
    .argument('<after>', 'JSON report of a later run')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 no verdict got worse, 1 a verdict got worse, 2 wrong usage.')
    .action(async (before: string, after: string, flags: { json?: boolean }) => {
      const { runDiffReports } = await import('../check/suite-commands.ts');
      process.exitCode = runDiffReports(before, after, flags.json === true);
    });
}

/** Creates `svc explain`, which shows a requirement or a rule for clients, its source and its checks. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('Show a requirement, its source and its check.')
    .argument(
      '<id>',
      'id of a requirement, for example V3-GET-02, or of a rule for clients, for example CLIENT-POLL-02',
    )
    .action(async (id: string) => {
      const { runExplain } = await import('../check/suite-commands.ts');
      process.exitCode = runExplain(id);
    });
}

/** Creates `svc init`, which writes a target file with the defaults. */
export function initCommand(): Command {
  return new Command('init')
    .description('Write a target file with every default and its meaning.')
    .argument('[file]', 'path of the file', 'svc-target.yaml')
    .option('--force', 'replace a file that exists')
    .action(async (file: string, flags: { force?: boolean }) => {
      const { runInit } = await import('../check/suite-commands.ts');
      process.exitCode = runInit(file, flags.force === true);
    });
}

/** Creates `svc judge`, which judges a recorded run again. */
export function judgeCommand(): Command {
  return new Command('judge')
    .description('Judge a recorded run again, without network or key.')
    .argument('<file>', 'recording of a run (`svc check --report har=FILE`)')
    .option('--only <words>', 'show these requirement ids, areas or generations, separated by commas')
    .option('--report <list>', 'terminal, json=FILE and others as in `svc check`', 'terminal')
    .option('--details', 'show every finding, the areas, and the ids that were not judged')
    .option('--strict', 'also fail if a requirement was not testable or not run')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runJudge } = await import('../check/run-check.ts');
      process.exitCode = await runJudge(file, flags);
    });
}

/** Creates `svc list`, which lists the requirements and how each is checked, or the rules for clients. */
export function listCommand(): Command {
  return new Command('list')
    .description('List the requirements, each with its level and whether it is checked.')
    .argument('[words...]', 'requirement ids, areas or generations')
    .addOption(
      new Option('--side <side>', 'requirements on services or rules for clients')
        .choices(['service', 'client'])
        .default('service'),
    )
    .option('--json', 'print JSON')
    .action(async (words: string[], flags: { json?: boolean; side: string }) => {
      const { runList } = await import('../check/suite-commands.ts');
      process.exitCode = runList(words, { json: flags.json === true, side: flags.side });
    });
}

/** Creates `svc replay`, which sends the requests of one case of an earlier report again and judges them. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('Repeat one case of an earlier report, at the same URL and spend level.')
    .argument('<token>', 'token that the report prints')
    .argument('[command...]', 'for a token of `svc check-client`: the program and its arguments, after --')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option(
      '--other-api-key <key>',
      'key of another project, to check that projects are separate (default: SVC_OTHER_API_KEY)',
    )
    .option('--ca <file>', 'further certificate authorities to trust, as a PEM file')
    .option('--proxy <url>', 'forward proxy for all requests, http://[user:password@]host:port')
    .option('--target <file>', 'target file of the run')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .option('--details', 'show every finding, the areas, and the ids that were not judged')
    .option('--url <url>', 'another URL than that of the report')
    .action(async (token: string, command: string[], flags: Record<string, unknown>) => {
      const { runReplay } = await import('../check/suite-commands.ts');
      process.exitCode = await runReplay(token, command, flags);
    });
}

/** Creates `svc report`, the commands for existing reports. */
export function reportCommand(): Command {
  const report = new Command('report').exitOverride().description('Merge reports, or show one in another format.');
  report
    .command('merge')
    .description('Merge the reports of all shards of one run.')
    .argument('<files...>', 'JSON reports of `svc check --shard i/n`')
    .option('--report <list>', 'terminal, json=FILE and the other formats of `svc check`', 'terminal')
    .option('--details', 'show every finding, the areas, and the ids that were not judged')
    .option('--strict', 'also fail if a requirement was not testable or not run')
    .addHelpText('after', '\nExit codes are those of `svc check`.')
    .action(async (files: string[], flags: Record<string, unknown>) => {
      const { runMerge } = await import('../check/suite-commands.ts');
      process.exitCode = runMerge(files, flags);
    });
  report
    .command('show')
    .description('Show a report in any format, for example as a badge or a comment.')
    .argument('<file>', 'JSON report of a run')
    .option('--report <list>', 'terminal, badge=FILE and the other formats of `svc check` except har', 'terminal')
    .option('--details', 'show every finding, the areas, and the ids that were not judged')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runShow } = await import('../check/suite-commands.ts');
      process.exitCode = runShow(file, flags);
    });
  return report;
}
