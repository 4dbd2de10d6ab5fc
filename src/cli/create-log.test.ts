import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';

it('a process ends although its log cannot be written', { timeout: 60_000 }, () => {
  const program = `
    const { createLog } = await import('./src/cli/create-log.ts');
    createLog('info').info('lost');
    console.log('logged');`;
  // Standard error is open for reading only: each write to it fails, on every system.
  const unwritable = openSync('/dev/null', 'r');
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', unwritable],
    timeout: 30_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  closeSync(unwritable);
  expect({ stdout, signal }).toEqual({ stdout: 'logged\n', signal: null });
});
