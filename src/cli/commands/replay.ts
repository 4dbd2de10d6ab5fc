import { Command } from 'commander';
import { collect } from '../collect.ts';

/** `svc replay`: judges one case of an earlier report again. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('Judge one case of an earlier report again, at the address and spend level that it came from.')
    .argument('<token>', 'the word that the report prints')
    .argument('[command...]', 'for a token of `svc check-client`: the program and its arguments, after --')
    .option('--api-key <key>', 'API key (default: SERVICE_API_KEY)')
    .option('--other-api-key <key>', 'key of another project, for tenancy (default: SVC_OTHER_API_KEY)')
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy for all that is sent, http://[user:password@]host:port')
    .option('--target <file>', 'target file of the run')
    .option('--header <line>', "header for every request, 'Name: value'; repeatable", collect, [])
    .option('--details', 'show every finding, the areas and the ids of what was not judged on the terminal')
    .option('--url <url>', 'another address than that of the report')
    .action(async (token: string, command: string[], flags: Record<string, unknown>) => {
      const { runReplay } = await import('../check/run-replay.ts');
      process.exitCode = await runReplay(token, command, flags);
    });
}
