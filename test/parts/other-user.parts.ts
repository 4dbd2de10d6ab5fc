import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listProcesses } from '#browsers/isolation/process-status.ts';
import { browsersFolder } from '../../src/cli/serve/create-host.ts';
import { createApiClient } from '../support/api-client.ts';
import { endProcesses } from '../support/end-processes.ts';
import { connectRaw } from '../support/raw-cdp.ts';
import { testKey } from '../support/start-backend.ts';

/** This file tests what another user of the machine can read of a service that root has started. It needs root. */

/** User ids of the browsers' user and of an unused user. */
const users = [60_700, 61_000];

let folder: string;
let mask: number;
const children: ChildProcess[] = [];

beforeEach(() => {
  if (process.getuid?.() !== 0) throw new Error('Found an unprivileged user. Expected root. Next: run it with sudo.');
  mask = process.umask(0);
  folder = mkdtempSync(join(tmpdir(), 'svc-other-user-'));
  chmodSync(folder, 0o755);
});
afterEach(async () => {
  process.umask(mask);
  await endProcesses(children.splice(0), 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

async function serve(): Promise<{ address: string; log: string[] }> {
  const args = ['--port', '0', '--data', join(folder, 'data'), '--bootstrap-key', testKey];
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('listening on ')) return { address: line.slice('listening on '.length), log };
  throw new Error(`the service did not start: ${log.join('\n')}`);
}

/** Returns true if the user with this id can list a folder or read a file. */
function canReach(uid: number, path: string): boolean {
  const program = statSync(path).isDirectory() ? '/bin/ls' : '/bin/cat';
  return spawnSync(program, [path], { uid, gid: uid }).status === 0;
}

function everything(path: string): string[] {
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))];
}

it('is nothing of the data folder, under any umask, while browsers of a user of their own work', async () => {
  const { address } = await serve();
  const v4 = createApiClient(address, testKey, 'v4');
  const { body } = await v4.call('POST', '/browsers', { enableRecording: true });
  const client = await connectRaw(String(body['cdpUrl']));
  expect(await client.result('Browser.getVersion')).toMatchObject({ product: expect.stringContaining('Chrome') });
  const browsers = browsersFolder(join(folder, 'data'));
  const pids = (await listProcesses()).map(({ pid }) => pid);
  expect(pids.some((pid) => isOwnedBy(pid, 60_700))).toBe(true);
  const paths = [...everything(join(folder, 'data')), browsers];
  expect(paths.length).toBeGreaterThan(5);
  for (const uid of users) expect(paths.filter((path) => canReach(uid, path))).toEqual([]);
  const folders = readdirSync(browsers).map((name) => join(browsers, name));
  expect(folders.length).toBeGreaterThan(0);
  for (const uid of users) expect(folders.filter((path) => canReach(uid, path))).toEqual([]);
  client.close();
});

it('is nothing any more of a data folder that an earlier release left open, and the log says so', async () => {
  mkdirSync(join(folder, 'data', 'blobs'), { recursive: true });
  for (const name of ['data', 'data/blobs']) chmodSync(join(folder, name), 0o755);
  const first = await serve();
  expect(first.log.join('\n')).toContain('their modes were repaired');
  await endProcesses(children.splice(0), 'SIGTERM');
  const data = join(folder, 'data');
  chmodSync(data, 0o755);
  for (const name of readdirSync(data))
    chmodSync(join(data, name), statSync(join(data, name)).isFile() ? 0o644 : 0o755);
  expect(canReach(61_000, join(data, 'svc.sqlite'))).toBe(true);
  await serve();
  for (const uid of users) expect(everything(data).filter((path) => canReach(uid, path))).toEqual([]);
});

function isOwnedBy(pid: number, uid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid;
}
