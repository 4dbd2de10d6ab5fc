import { execFileSync } from 'node:child_process';
import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandTree, shellScript } from './completion.ts';

const check = new Command('check')
  .description("Judge somebody's service.")
  .addOption(new Option('--spend <level>', 'what it may cost').choices(['none', 'task']))
  .option('--strict', 'be strict')
  .addOption(new Option('--inner').hideHelp());
const spec = new Command('spec').description('Documents.');
spec.command('print').addArgument(new Argument('<version>').choices(['v2', 'v3']));
spec.command('lint');
const tree = commandTree('svc', [check, spec]);

/** Returns the completions that a real bash offers for a command line whose last word is incomplete. */
function offered(...words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const asked = `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['--norc', '-c', `${shellScript('bash', tree)}${asked}`], { encoding: 'utf8' });
  return said.split('\n').filter((line) => line !== '');
}

describe('bash completes', () => {
  it.each([
    { typed: ['svc', ''], want: ['check', 'spec'] },
    { typed: ['svc', 's'], want: ['spec'] },
    { typed: ['svc', 'spec', ''], want: ['print', 'lint'] },
    { typed: ['svc', 'check', '--s'], want: ['--spend', '--strict'] },
    { typed: ['svc', 'check', 'http://x', '--spend', ''], want: ['none', 'task'] },
    { typed: ['svc', 'check', '--spend', 'none', '--st'], want: ['--strict'] },
    { typed: ['svc', 'spec', 'print', ''], want: ['v2', 'v3'] },
    // svc offers no words here, so the shell offers file names.
    { typed: ['svc', 'check', 'read'], want: [] },
    { typed: ['svc', 'nothing', 'x'], want: [] },
  ])('$typed with $want', ({ typed, want }) => expect(offered(...typed)).toEqual(want));
});

it('offers no hidden options', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) expect(shellScript(shell, tree)).not.toContain('inner');
});

it('quotes descriptions for fish', () => {
  const lines = shellScript('fish', tree).split('\n');
  expect(lines).toContain(`complete -c svc -n '__svc_at "svc"' -f -a check -d 'Judge somebody\\'s service.'`);
  expect(lines).toContain(`complete -c svc -n '__svc_at "svc check"' -l spend -d 'what it may cost' -x -a 'none task'`);
});
