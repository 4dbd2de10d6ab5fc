import { Command, Option } from 'commander';
import { collect } from '../flag-values.ts';

/** Creates `svc clean`, which removes resources that an earlier run left behind. */
export function cleanCommand(): Command {
  return new Command('clean')
    .description('End what an earlier run has left behind.')
    .argument('<report>', 'JSON report of the run, or the .ledger file beside it after a crash')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy for all that is sent, http://[user:password@]host:port')
    .option('--other-api-key <key>', 'key of the other project of the run (default: SVC_OTHER_API_KEY)')
    .option('--target <file>', 'target file of the run')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .action(async (report: string, flags: Record<string, unknown>) => {
      const { runClean } = await import('../check/suite-commands.ts');
      process.exitCode = await runClean(report, flags);
    });
}

/** Creates `svc coverage`, which shows the operations that a run has used. */
export function coverageCommand(): Command {
  return new Command('coverage')
    .description('Show what a run has exercised of each operation, and what it never has.')
    .argument('<report>', 'file that `svc check --report json=FILE` has written')
    .option('--json', 'the rows as JSON')
    .option('--strict', 'exit code 1 when an operation that the target offers was never exercised')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runCoverage } = await import('../check/suite-commands.ts');
      process.exitCode = runCoverage(file, flags);
    });
}

/** Creates `svc diff`, which compares two runs. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('Say which verdicts differ between two reports.')
    .argument('<before>', 'JSON report of a run')
    .argument('<after>', 'JSON report of a later run')
    .option('--json', 'write one JSON object instead of sentences')
    .addHelpText('after', '\nExit code 0: nothing got worse. 1: something did. 2: wrong usage.')
    .action(async (before: string, after: string, flags: { json?: boolean }) => {
      const { runDiffReports } = await import('../check/suite-commands.ts');
      process.exitCode = runDiffReports(before, after, flags.json === true);
    });
}

/** Creates `svc explain`, which shows a requirement, its source and its checks. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('Show a requirement, its source, and how it is checked.')
    .argument('<id>', 'requirement id, for example V3-GET-02, or rule for clients, for example CLIENT-POLL-02')
    .action(async (id: string) => {
      const { runExplain } = await import('../check/suite-commands.ts');
      process.exitCode = runExplain(id);
    });
}

/** Creates `svc init`, which writes a target file with the defaults. */
export function initCommand(): Command {
  return new Command('init')
    .description('Write svc-target.yaml with the defaults and what each means.')
    .argument('[file]', 'where to write it', 'svc-target.yaml')
    .option('--force', 'replace a file that exists')
    .action(async (file: string, flags: { force?: boolean }) => {
      const { runInit } = await import('../check/suite-commands.ts');
      process.exitCode = runInit(file, flags.force === true);
    });
}

/** Creates `svc judge`, which judges a recorded run again. */
export function judgeCommand(): Command {
  return new Command('judge')
    .description('Judge a recorded run again, with no network and no key.')
    .argument('<file>', 'recording that `svc check --report har=FILE` has written')
    .option('--only <words>', 'show these requirement ids, areas or generations, separated by commas')
    .option('--report <list>', 'terminal, json=FILE and others as in `svc check`', 'terminal')
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .option('--strict', 'also fail when a requirement was not testable or not run')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runJudge } = await import('../check/run-check.ts');
      process.exitCode = await runJudge(file, flags);
    });
}

/** Creates `svc list`, which lists the requirements and how each is checked. */
export function listCommand(): Command {
  return new Command('list')
    .description('List the requirements and how each is treated.')
    .argument('[words...]', 'requirement ids, areas or generations')
    .addOption(
      new Option('--side <side>', 'whose: of services or of clients').choices(['service', 'client']).default('service'),
    )
    .option('--json', 'print JSON')
    .action(async (words: string[], flags: { json?: boolean; side: string }) => {
      const { runList } = await import('../check/suite-commands.ts');
      process.exitCode = runList(words, { json: flags.json === true, side: flags.side });
    });
}

/** Creates `svc replay`, which judges one case of an earlier report again. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('Judge one case of an earlier report again, at the address and spend level that it came from.')
    .argument('<token>', 'the word that the report prints')
    .argument('[command...]', 'for a token of `svc check-client`: the program and its arguments, after --')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option('--other-api-key <key>', 'key of another project, for tenancy (default: SVC_OTHER_API_KEY)')
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy for all that is sent, http://[user:password@]host:port')
    .option('--target <file>', 'target file of the run')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .option('--url <url>', 'another address than that of the report')
    .action(async (token: string, command: string[], flags: Record<string, unknown>) => {
      const { runReplay } = await import('../check/suite-commands.ts');
      process.exitCode = await runReplay(token, command, flags);
    });
}

/** Creates `svc report`, the commands for existing reports. */
export function reportCommand(): Command {
  const report = new Command('report').exitOverride().description('Work with reports that are already written.');
  report
    .command('merge')
    .description('Join the reports of all shards of one run.')
    .argument('<files...>', 'JSON reports of `svc check --shard i/n`')
    .option('--report <list>', 'terminal, json=FILE and the other formats of `svc check`', 'terminal')
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .option('--strict', 'also fail when a requirement was not testable or not run')
    .addHelpText('after', '\nExit codes are those of `svc check`.')
    .action(async (files: string[], flags: Record<string, unknown>) => {
      const { runMerge } = await import('../check/suite-commands.ts');
      process.exitCode = runMerge(files, flags);
    });
  report
    .command('show')
    .description('Show a report in any format, for example as a badge or a comment.')
    .argument('<file>', 'JSON report of a run')
    .option('--report <list>', 'terminal, badge=FILE and the other formats of `svc check` but har', 'terminal')
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runShow } = await import('../check/suite-commands.ts');
      process.exitCode = runShow(file, flags);
    });
  return report;
}
