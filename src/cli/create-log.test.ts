import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';

it('a process ends although its log cannot be written', { timeout: 60_000 }, async () => {
  const program = "const { createLog } = await import('./src/cli/create-log.ts'); createLog('info').info('lost');";
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', full],
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  closeSync(full);
  const [, signal] = await once(child, 'exit');
  expect(signal).toBeNull();
});
