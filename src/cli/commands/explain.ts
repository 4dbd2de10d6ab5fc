import { Command } from 'commander';

/** `svc explain`: one requirement, its source, and how it is checked. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('Show a requirement, its source, and how it is checked.')
    .argument('<id>', 'requirement id, for example V3-GET-02')
    .action(async (id: string) => {
      const { runExplain } = await import('../check/run-explain.ts');
      process.exitCode = runExplain(id);
    });
}
