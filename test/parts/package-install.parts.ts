import { execFile, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveIn } from '../package/installed-package.ts';

/**
 * This file tests the first steps of a new user: an empty folder, `npm install`, `npx svc`. It uses the registry of
 * npm's configuration.
 */

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'svc-install-'));
const consumer = join(folder, 'consumer');
const blockBytes = 4_096;
/** Maximum disk usage in MiB of the installed package, which contains the suite and the mock, and its dependencies. */
const boundMegabytes = 60;
/** Additional MiB that newer versions of indirect dependencies may need. */
const toleranceMegabytes = 2;

beforeAll(async () => {
  mkdirSync(consumer);
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', await archiveIn(folder)];
  await run('npm', words, { cwd: consumer });
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Returns the disk usage of a folder in MiB: whole blocks for each file, and one block for each folder, like du on most
 * disks.
 */
function measureMegabytes(path: string): number {
  let blocks = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) blocks += 1;
    if (entry.isFile()) blocks += Math.ceil(lstatSync(join(entry.parentPath, entry.name)).size / blockBytes);
  }
  return (blocks * blockBytes) / 2 ** 20;
}

it('takes at most 60 MB, as du counts, and what docs/status.md says', () => {
  const megabytes = measureMegabytes(join(consumer, 'node_modules'));
  expect(megabytes).toBeLessThan(boundMegabytes);
  const told = Number(/(\d+) MB when installed/.exec(readFileSync('docs/status.md', 'utf8'))?.[1]);
  expect(Math.abs(megabytes - told), `${megabytes} MB, but ${told} MB in docs/status.md`).toBeLessThan(
    toleranceMegabytes,
  );
});

it('its mock answers, and its suite finds nothing against it', async () => {
  const mock = spawn('npx', ['svc', 'mock', '--port', '0'], { cwd: consumer, detached: true });
  try {
    let address: string | undefined;
    for await (const line of createInterface(mock.stdout)) {
      address = /listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) break;
    }
    const words = ['svc', 'check', String(address), '--api-key', 'svc_mock'];
    const { stdout } = await run('npx', words, { cwd: consumer });
    expect(stdout).toMatch(/PASSED: no violation · \d\d passed/);
  } finally {
    // Ends the process group of npx: its shell and the mock.
    if (mock.pid !== undefined) process.kill(-mock.pid);
  }
});
