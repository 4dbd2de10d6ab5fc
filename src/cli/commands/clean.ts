import { Command } from 'commander';

/** `svc clean`: ends what an earlier run has left behind. */
export function cleanCommand(): Command {
  return new Command('clean')
    .description('End what an earlier run has left behind.')
    .argument('<report>', 'JSON report of the run, or the .ledger file beside it after a crash')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy for all that is sent, http://[user:password@]host:port')
    .option('--target <file>', 'target file of the run')
    .action(async (report: string, flags: Record<string, unknown>) => {
      const { runClean } = await import('../check/run-clean.ts');
      process.exitCode = await runClean(report, flags);
    });
}
