import { Command } from 'commander';

/** `svc coverage`: what a run has exercised of the interface. */
export function coverageCommand(): Command {
  return new Command('coverage')
    .description('Show what a run has exercised of each operation, and what it never has.')
    .argument('<report>', 'file that `svc check --report json=FILE` has written')
    .option('--json', 'the rows as JSON')
    .option('--strict', 'exit code 1 when an operation that the target offers was never exercised')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runCoverage } = await import('../check/run-coverage.ts');
      process.exitCode = runCoverage(file, flags);
    });
}
