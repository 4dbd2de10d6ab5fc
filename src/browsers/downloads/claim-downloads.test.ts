import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecordingLog } from '../testing/recording-log.ts';
import { claimDownloads } from './claim-downloads.ts';
import type { DownloadFollower, DownloadTaker, FinishedDownload } from './downloads.ts';

let folder: string;
let taken: Record<string, string>;
let refused: Record<string, string>;
let cancelled: string[];
let followers: Set<DownloadFollower>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-downloads-'));
  [taken, refused, cancelled, followers] = [{}, {}, [], new Set()];
});
afterEach(() => rm(folder, { recursive: true }));

/**
 * Creates a claim whose taker records downloads in `taken` and `refused`. The test reports download events to the
 * returned follower.
 */
function start(changes: Partial<DownloadTaker> = {}) {
  const taker: DownloadTaker = {
    async take({ fileName, size, bytes }) {
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      taken[fileName] = `${size}: ${Buffer.concat(pieces).toString()}`;
    },
    refused: (fileName, reason) => void (refused[fileName] = reason),
    ...changes,
  };
  const follow = (one: DownloadFollower) => {
    followers.add(one);
    return () => void followers.delete(one);
  };
  const claim = claimDownloads({ follow, cancel: async (id) => void cancelled.push(id) }, taker, createRecordingLog());
  const [follower] = followers;
  if (follower === undefined) throw new Error('the claim follows nothing');
  return { claim, follower };
}

async function file(name: string, text: string): Promise<FinishedDownload> {
  const path = join(folder, name);
  await writeFile(path, text);
  return { name, path, size: text.length };
}

test('what began since is taken once; nothing that happens later undoes it', async () => {
  const { claim, follower } = start();
  follower.began('1', 'a.txt');
  const taking = follower.take('1', await file('a.txt', 'abc'));
  follower.failed('1', 'too late');
  expect(await taking).toBe(true);
  await claim.settled();
  expect([taken, refused]).toEqual([{ 'a.txt': '3: abc' }, {}]);
});

test('what began before is left to others', async () => {
  const { claim, follower } = start();
  expect(await follower.take('0', await file('old.txt', 'abc'))).toBe(false);
  await claim.settled();
  expect(taken).toEqual({});
});

test('reports interrupted downloads and cancels pending ones at the end', async () => {
  const { claim, follower } = start();
  follower.began('1', 'broken');
  follower.began('2', 'slow');
  follower.failed('1', 'it broke off');
  await claim.stop();
  expect(refused).toEqual({ broken: 'it broke off', slow: 'the task ended before it was complete' });
  expect([cancelled, followers.size]).toEqual([['2'], 0]);
});

test('the end waits for a file that is being taken', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { claim, follower } = start({ take: () => promise });
  follower.began('1', 'a.txt');
  const taking = follower.take('1', await file('a.txt', 'abc'));
  const order: string[] = [];
  const stopped = claim.stop().then(() => order.push('stopped'));
  resolve();
  await taking.then(() => order.push('taken'));
  await stopped;
  expect([order.includes('taken'), refused, cancelled]).toEqual([true, {}, []]);
});

test('a taker that fails costs the file and nothing else', async () => {
  const { claim, follower } = start({ take: () => Promise.reject(new Error('the disk is full')) });
  follower.began('1', 'a.txt');
  expect(await follower.take('1', await file('a.txt', 'abc'))).toBe(true);
  await claim.settled();
  expect(refused).toEqual({ 'a.txt': 'it could not be read or stored' });
});

test.runIf(process.platform === 'linux')('a file that its taker does not want is not left open', async () => {
  const { claim, follower } = start({ take: () => Promise.resolve() });
  follower.began('1', 'a.txt');
  const unwanted = await file('a.txt', 'abc');
  await follower.take('1', unwanted);
  await claim.settled();
  await rm(unwanted.path);
  expect(execFileSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' })).not.toContain(folder);
});
