import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecordingLog } from '../testing/recording-log.ts';
import { createWarden, folderBytes } from './warden.ts';
import { processStatus } from './process-status.ts';

const mebibyte = 1024 * 1024;
const plenty = 1024 * 1024 * mebibyte;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-warden-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a browser is ended when the processes of its group take too much memory together, and no other one', async () => {
  const script =
    'globalThis.kept = Buffer.alloc(128 * 1048576, 1); process.stdout.write("x"); setInterval(() => {}, 1e6)';
  const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const warden = createWarden({ memoryBytes: 100 * mebibyte, diskBytes: plenty }, createRecordingLog());
  const reasons: string[] = [];
  warden.watch({ pid: child.pid ?? 0, folders: [], end: (reason) => void reasons.push(reason) });
  warden.watch({ pid: 0, folders: [], end: (reason) => void reasons.push(`another: ${reason}`) });
  await warden.look();
  expect(reasons).toEqual([
    expect.stringMatching(/^The browser was ended: it used 1\d\d MiB of memory of at most 100 MiB\.$/),
  ]);
  await warden.look();
  expect(reasons).toHaveLength(1);
  warden.close();
  child.kill();
  await once(child, 'exit');
});

test('a browser is ended when its files take too much, and not for holes in them or for what links lead to', async () => {
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'inner', 'file'), Buffer.alloc(3 * mebibyte));
  await writeFile(join(folder, 'hole'), '');
  await truncate(join(folder, 'hole'), 100 * mebibyte);
  await symlink('/usr', join(folder, 'link'));
  const reasons: string[] = [];
  const end = (reason: string): void => void reasons.push(reason);
  const roomy = createWarden({ memoryBytes: plenty, diskBytes: 4 * mebibyte }, createRecordingLog());
  roomy.watch({ pid: 0, folders: [folder], end });
  await roomy.look();
  const tight = createWarden({ memoryBytes: plenty, diskBytes: 2 * mebibyte }, createRecordingLog());
  tight.watch({ pid: 0, folders: [folder, join(folder, 'missing')], end });
  await tight.look();
  expect(reasons).toEqual(['The browser was ended: its files took 3 MiB of at most 2 MiB.']);
  roomy.close();
  tight.close();
});

test('checks every browser, also after one whose folder cannot be measured', async () => {
  await writeFile(join(folder, 'file'), Buffer.alloc(2 * mebibyte));
  const log = createRecordingLog();
  const warden = createWarden({ memoryBytes: plenty, diskBytes: mebibyte }, log);
  const reasons: string[] = [];
  const end = (reason: string): void => void reasons.push(reason);
  // A file in place of the folder makes the measurement fail with ENOTDIR.
  warden.watch({ pid: 0, folders: [join(folder, 'file')], end });
  warden.watch({ pid: 0, folders: [folder], end });
  await warden.look();
  expect(reasons).toEqual(['The browser was ended: its files took 2 MiB of at most 1 MiB.']);
  warden.close();
});

test('ignores a browser that is no longer watched', async () => {
  await writeFile(join(folder, 'file'), Buffer.alloc(2 * mebibyte));
  const reasons: string[] = [];
  const warden = createWarden({ memoryBytes: 1, diskBytes: 1 }, createRecordingLog());
  const leave = warden.watch({ pid: process.pid, folders: [folder], end: (reason) => void reasons.push(reason) });
  leave();
  await warden.look();
  expect(reasons).toEqual([]);
  warden.close();
});

test('what the kernel says of a process is read whole', async () => {
  const own = await processStatus(process.pid);
  expect(own).toMatchObject({ pid: process.pid, uid: process.getuid?.(), pidNamespaces: expect.any(Number) });
  expect(own?.residentBytes).toBeGreaterThan(20 * mebibyte);
  expect(own?.ownBytes).toBeLessThan(own?.residentBytes ?? 0);
  expect(await processStatus(2 ** 22 + 1)).toBeNull();
  expect(await folderBytes(join(folder, 'missing'))).toBe(0);
});
