import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('continues and exits normally although the log cannot be written', () => {
  const program = `
    const { createLog } = await import('./src/cli/create-log.ts');
    const log = createLog('info');
    for (let line = 0; line < 3000; line += 1) log.info('x'.repeat(1000));
    console.log('logged');`;
  // Standard error is open for reading only: each write to it fails, on every system.
  const unwritable = openSync('/dev/null', 'r');
  const { stdout, signal, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', unwritable],
    timeout: 120_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  closeSync(unwritable);
  expect({ stdout, signal, status }).toEqual({ stdout: 'logged\n', signal: null, status: 0 });
});

it('writes buffered lines later, up to a limit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  const file = join(folder, 'log');
  const program = `
    const { closeSync, openSync, readFileSync } = await import('node:fs');
    const { setImmediate } = await import('node:timers/promises');
    const { createLog } = await import('./src/cli/create-log.ts');
    const log = createLog('info');
    for (let line = 0; line < 3000; line += 1) {
      log.info('x'.repeat(1000));
      await setImmediate();
    }
    // The lowest number that is free is that of standard error.
    closeSync(2);
    openSync(${JSON.stringify(file)}, 'w');
    while (!readFileSync(${JSON.stringify(file)}, 'utf8').includes('again')) {
      log.info('again');
      await setImmediate();
    }`;
  const unwritable = openSync('/dev/null', 'r');
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', unwritable],
    timeout: 120_000,
  });
  closeSync(unwritable);
  const kept = readFileSync(file, 'utf8').split('x'.repeat(1000)).length - 1;
  expect([status, kept > 900, kept < 1100]).toEqual([0, true, true]);
  rmSync(folder, { recursive: true });
});
