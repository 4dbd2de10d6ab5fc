import { readdirSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { commandLine, isAlive } from '#browsers/isolation/process-table.ts';
import type { JsonObject } from '#lib/json.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

/**
 * Number of life cycles that the test repeats. A leak is visible after a few of them; `npm run long -- cycles` repeats
 * 100.
 */
const rounds = 6;

/**
 * Counts the open file descriptors of this process by kind; the service runs in this process too. A kind is the target
 * of a descriptor, with each number in it replaced by `n`.
 */
function openFiles(): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const fd of readdirSync('/proc/self/fd')) {
    const kind = readKind(fd);
    if (kind !== null) kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

function grown(before: Record<string, number>): string[] {
  return Object.entries(openFiles()).flatMap(([kind, count]) =>
    count > (before[kind] ?? 0) ? [`${kind}: ${count}, before ${before[kind] ?? 0}`] : [],
  );
}

function readKind(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).replaceAll(/\d+/g, 'n');
  } catch {
    // The descriptor that listed the folder is closed by now.
    return null;
  }
}

async function countBrowsers(dataFolder: string): Promise<number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => commandLine(Number(pid))));
  return lines.filter((line) => line.some((argument) => argument.includes(dataFolder))).length;
}

/**
 * Sends a request to V4 on a new connection and returns the body of the answer. A connection that `fetch` keeps open
 * for reuse would count as a leak.
 */
async function call(real: RealBackend, line: string, body: JsonObject): Promise<JsonObject> {
  const [method, path = ''] = line.split(' ');
  const headers = { 'x-service-api-key': testKey, 'content-type': 'application/json' };
  const sent = request(`${real.address}/api/v4${path}`, { method: method ?? '', headers, agent: false }).end(
    JSON.stringify(body),
  );
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return (await json(response)) as JsonObject;
}

async function oneLife(real: RealBackend): Promise<void> {
  const { id, cdpUrl } = await call(real, 'POST /browsers', {});
  const client = await connectRaw(String(cdpUrl));
  const session = await client.page();
  await client.result('Runtime.evaluate', { expression: '1 + 1' }, session);
  await call(real, `PATCH /browsers/${String(id)}`, { action: 'stop' });
  await client.ended;
}

it(`${rounds} browsers in a row leave no process, no open file and no folder behind`, async () => {
  // A separate temporary folder, because other tests leave files in the common folder for a moment.
  const folder = await mkdtemp(join(tmpdir(), 'svc-leak-'));
  await chmod(folder, 0o711);
  vi.stubEnv('TMPDIR', folder);
  const real = await startRealBackend();
  await oneLife(real);
  const before = {
    files: openFiles(),
    temporary: readdirSync(folder),
    timers: process.getActiveResourcesInfo().length,
  };
  for (let round = 0; round < rounds; round += 1) await oneLife(real);
  expect(real.folders()).toEqual([]);
  expect(await countBrowsers(real.dataFolder)).toBe(0);
  // A descriptor that was closing at the first count may be missing now, but no kind may have grown.
  await expect.poll(() => grown(before.files)).toEqual([]);
  expect(readdirSync(folder)).toEqual(before.temporary);
  await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before.timers);
  await real.stop();
  vi.unstubAllEnvs();
  expect(readdirSync(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

it('a service that ends takes its browsers along, and the next one finds them again by their address', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'svc-again-'));
  const first = await startRealBackend({ dataFolder });
  const { id, cdpUrl } = await first.browser();
  const client = await connectRaw(cdpUrl);
  const processes = await first.processes();
  await first.stop();
  expect(await client.ended).toEqual({ code: 1001, reason: 'service shutting down' });
  expect(await Promise.all(processes.map(isAlive))).toEqual([false]);
  expect(first.folders()).toEqual([]);

  const second = await startRealBackend({ dataFolder });
  expect((await second.v4.call('GET', `/browsers/${id}`)).body).toMatchObject({ status: 'active' });
  expect(await second.processes()).toEqual([]);
  const again = await connectRaw(`${second.address.replace('http', 'ws')}${new URL(cdpUrl).pathname}`);
  expect(await again.page()).not.toBe('');
  expect(await second.processes()).toHaveLength(1);
  await second.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  await again.ended;
  await second.stop();
  await rm(dataFolder, { recursive: true });
});
