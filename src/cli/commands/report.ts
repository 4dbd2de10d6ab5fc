import { Command } from 'commander';

/** `svc report`: what is done with reports that are already written. */
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
      const { runMerge } = await import('../check/run-merge.ts');
      process.exitCode = runMerge(files, flags);
    });
  report
    .command('show')
    .description('Show a report in any format, for example as a badge or a comment.')
    .argument('<file>', 'JSON report of a run')
    .option('--report <list>', 'terminal, badge=FILE and the other formats of `svc check` but har', 'terminal')
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runShow } = await import('../check/run-show.ts');
      process.exitCode = runShow(file, flags);
    });
  return report;
}
