import { Command } from 'commander';

/** `svc diff`: what has changed between two runs. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('Say which verdicts differ between two reports.')
    .argument('<before>', 'JSON report of a run')
    .argument('<after>', 'JSON report of a later run')
    .option('--json', 'write one JSON object instead of sentences')
    .addHelpText('after', '\nExit code 0: nothing got worse. 1: something did. 2: wrong usage.')
    .action(async (before: string, after: string, flags: { json?: boolean }) => {
      const { runDiffReports } = await import('../check/run-diff-reports.ts');
      process.exitCode = runDiffReports(before, after, flags.json === true);
    });
}
