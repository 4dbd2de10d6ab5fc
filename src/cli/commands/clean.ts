import { Command } from 'commander';
import { collect } from '../collect.ts';

/** `svc clean`: ends what an earlier run has left behind. */
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
      const { runClean } = await import('../check/run-clean.ts');
      process.exitCode = await runClean(report, flags);
    });
}
