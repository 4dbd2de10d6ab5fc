import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parts, systemPart } from './system-part.ts';

/** This file tests the completion scripts in each shell itself, in a terminal where the shell requires one. */

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
const getScriptPath = (shell: string): string => join(folder, `svc.${shell}`);
const prompt = 'type here>';

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await run(process.execPath, ['bin/svc.mjs', 'completion', shell]);
    writeFileSync(getScriptPath(shell), stdout);
  }
  // A function in place of `svc` that prints its arguments.
  const said = `svc() { printf 'called with <%s>\\n' "$*"; }\nPS1='${prompt}'\n`;
  writeFileSync(join(folder, 'bashrc'), `${said}source ${getScriptPath('bash')}\n`);
  writeFileSync(
    join(folder, '.zshrc'),
    `${said}autoload -U compinit && compinit -D -u\nsource ${getScriptPath('zsh')}\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a shell, types keys and Enter at its prompt, and returns the arguments with which the shell called `svc`. */
async function calledAfter(command: string, keys: string): Promise<string | undefined> {
  const env = { HOME: folder, ZDOTDIR: folder, PATH: '/usr/bin:/bin', TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  const terminal = spawn(systemPart(parts.script), ['--quiet', '--command', command, '/dev/null'], { env });
  let shown = '';
  let isTyped = false;
  for await (const chunk of terminal.stdout) {
    shown += String(chunk);
    if (isTyped || !shown.includes(prompt)) continue;
    isTyped = true;
    terminal.stdin.write(`${keys}\nexit\n`);
  }
  return /called with <(.*?)>/.exec(shown)?.[1];
}

const typed = [
  { keys: 'svc che\t', want: 'check' },
  { keys: 'svc check --dry\t', want: 'check --dry-run' },
  { keys: 'svc check --spend tas\t', want: 'check --spend task' },
  { keys: 'svc spec pri\t', want: 'spec print' },
];

describe('bash completes', () => {
  it.each(typed)('$keys', async ({ keys, want }) => {
    const command = `${systemPart(parts.bash)} --noprofile --rcfile ${join(folder, 'bashrc')} -i`;
    expect(await calledAfter(command, keys)).toBe(want);
  });
});

describe('zsh completes', () => {
  it.each(typed)('$keys', async ({ keys, want }) => {
    expect(await calledAfter(`${systemPart(parts.zsh)} -d -i`, keys)).toBe(want);
  });
});

describe('fish completes', () => {
  it.each(typed)('$keys', async ({ keys, want }) => {
    const asked = `source ${getScriptPath('fish')}; complete --do-complete ${JSON.stringify(keys.trimEnd())}`;
    const env = { HOME: folder, PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
    const { stdout } = await run(systemPart(parts.fish), ['--no-config', '--command', asked], { env });
    expect(stdout.split('\n').map((line) => line.split('\t', 1)[0])).toContain(want.split(' ').at(-1));
  });
});
