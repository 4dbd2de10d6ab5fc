import { Command } from 'commander';

/** `svc init`: writes a target file with the defaults. */
export function initCommand(): Command {
  return new Command('init')
    .description('Write svc-target.yaml with the defaults and what each means.')
    .argument('[file]', 'where to write it', 'svc-target.yaml')
    .option('--force', 'replace a file that exists')
    .action(async (file: string, flags: { force?: boolean }) => {
      const { runInit } = await import('../check/run-init.ts');
      process.exitCode = runInit(file, flags.force === true);
    });
}
