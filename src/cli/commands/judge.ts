import { Command } from 'commander';

/** `svc judge`: judges a recorded run again. */
export function judgeCommand(): Command {
  return new Command('judge')
    .description('Judge a recorded run again, with no network and no key.')
    .argument('<file>', 'recording that `svc check --report har=FILE` has written')
    .option('--only <words>', 'show these requirement ids, areas or generations, separated by commas')
    .option('--report <list>', 'terminal, json=FILE and others as in `svc check`', 'terminal')
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .option('--strict', 'also fail when a requirement was not testable or not run')
    .action(async (file: string, flags: Record<string, unknown>) => {
      const { runJudge } = await import('../check/run-judge.ts');
      process.exitCode = await runJudge(file, flags);
    });
}
