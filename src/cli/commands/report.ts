import { Command } from 'commander';

/** `svc report`: what is done with reports that are already written. */
export function reportCommand(): Command {
  const report = new Command('report').exitOverride().description('Work with reports that are already written.');
  report
    .command('merge')
    .description('Join the reports of all shards of one run.')
    .argument('<files...>', 'JSON reports of `svc check --shard i/n`')
    .option('--report <list>', 'terminal, json=FILE and the other formats of `svc check`', 'terminal')
    .option('--strict', 'also fail when a requirement was not testable or not run')
    .addHelpText('after', '\nExit codes are those of `svc check`.')
    .action(async (files: string[], flags: Record<string, unknown>) => {
      const { runMerge } = await import('../check/run-merge.ts');
      process.exitCode = runMerge(files, flags);
    });
  return report;
}
