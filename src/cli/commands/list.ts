import { Command, Option } from 'commander';

/** `svc list`: the requirements and how each is treated. */
export function listCommand(): Command {
  return new Command('list')
    .description('List the requirements and how each is treated.')
    .argument('[words...]', 'requirement ids, areas or generations')
    .addOption(
      new Option('--side <side>', 'whose: of services or of clients').choices(['service', 'client']).default('service'),
    )
    .option('--json', 'print JSON')
    .action(async (words: string[], flags: { json?: boolean; side: string }) => {
      const { runList } = await import('../check/run-list.ts');
      process.exitCode = runList(words, { json: flags.json === true, side: flags.side });
    });
}
