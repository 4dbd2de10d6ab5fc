import { execFile, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveIn } from '../package/installed-package.ts';

/** What a new user does: an empty folder, `npm install`, `npx svc`. Asks the registry that npm is set to. */

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'svc-install-'));
const consumer = join(folder, 'consumer');
const blockBytes = 512;

beforeAll(async () => {
  mkdirSync(consumer);
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', await archiveIn(folder)];
  await run('npm', words, { cwd: consumer });
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('takes at most 60 MB, as du counts', () => {
  const entries = readdirSync(join(consumer, 'node_modules'), { recursive: true, withFileTypes: true });
  const blocks = entries.map(({ parentPath, name }) => lstatSync(join(parentPath, name)).blocks);
  const megabytes = (blocks.reduce((sum, count) => sum + count, 0) * blockBytes) / 2 ** 20;
  expect(megabytes).toBeGreaterThan(20);
  expect(megabytes).toBeLessThan(60);
});

it('its mock answers, and its suite finds nothing against it', { timeout: 180_000 }, async () => {
  const mock = spawn('npx', ['svc', 'mock', '--port', '0'], { cwd: consumer, detached: true });
  try {
    let address: string | undefined;
    for await (const line of createInterface(mock.stdout)) {
      address = /listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) break;
    }
    const words = ['svc', 'check', String(address), '--api-key', 'svc_mock'];
    const { stdout } = await run('npx', words, { cwd: consumer });
    expect(stdout).toMatch(/No violation in \d\d of \d+ requirements/);
  } finally {
    // npx, its shell and the mock.
    if (mock.pid !== undefined) process.kill(-mock.pid);
  }
});
