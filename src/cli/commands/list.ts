import { Command } from 'commander';

/** `svc list`: the requirements and how each is treated. */
export function listCommand(): Command {
  return new Command('list')
    .description('List the requirements and how each is treated.')
    .argument('[words...]', 'requirement ids, areas or generations')
    .option('--json', 'print JSON')
    .action(async (words: string[], flags: { json?: boolean }) => {
      const { runList } = await import('../check/run-list.ts');
      process.exitCode = runList(words, flags.json === true);
    });
}
