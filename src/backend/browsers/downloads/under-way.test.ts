import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecordingLog } from '../testing/recording-log.ts';
import type { DownloadTaker } from './downloaded-file.ts';
import { createUnderWay } from './under-way.ts';

const guid = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

let folder: string;
let taken: Record<string, string>;
let refused: Record<string, string>;
let cancelled: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-downloads-'));
  [taken, refused, cancelled] = [{}, {}, []];
});
afterEach(() => rm(folder, { recursive: true }));

function start(changes: Partial<DownloadTaker> = {}) {
  const taker: DownloadTaker = {
    bytesMax: 10,
    atOnceMax: 2,
    async take({ fileName, size, bytes }) {
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      taken[fileName] = `${size}: ${Buffer.concat(pieces).toString()}`;
    },
    refused: (fileName, reason) => void (refused[fileName] = reason),
    ...changes,
  };
  return createUnderWay({ folder, taker, log: createRecordingLog(), cancel: (id) => void cancelled.push(id) });
}

test('a complete file is taken once, and goes', async () => {
  const underWay = start();
  underWay.add(guid(1), 'a.txt');
  await writeFile(join(folder, guid(1)), 'abc');
  underWay.complete(guid(1));
  underWay.complete(guid(1));
  underWay.giveUp(guid(1), 'too late');
  await underWay.settled();
  expect([taken, refused, existsSync(join(folder, guid(1)))]).toEqual([{ 'a.txt': '3: abc' }, {}, false]);
});

test('a link is not followed', async () => {
  const underWay = start();
  await writeFile(join(folder, 'secret'), 'root:');
  await symlink(join(folder, 'secret'), join(folder, guid(1)));
  underWay.add(guid(1), 'a.txt');
  underWay.complete(guid(1));
  await underWay.settled();
  expect([taken, refused]).toEqual([{}, { 'a.txt': 'it could not be read or stored' }]);
  expect(existsSync(join(folder, 'secret'))).toBe(true);
});

test('a file that is larger than it said is refused', async () => {
  const underWay = start();
  underWay.add(guid(1), 'a.txt');
  await writeFile(join(folder, guid(1)), 'x'.repeat(11));
  underWay.complete(guid(1));
  await underWay.settled();
  expect(refused).toEqual({ 'a.txt': 'it is larger than 10 bytes' });
});

test('one that grows too large, breaks off or is one too many is given up', async () => {
  const underWay = start();
  underWay.add(guid(1), 'large');
  underWay.grow(guid(1), 10);
  expect(cancelled).toEqual([]);
  underWay.grow(guid(1), 11);
  underWay.add(guid(2), 'two');
  underWay.add(guid(3), 'three');
  underWay.add(guid(4), 'four');
  expect([cancelled, refused]).toEqual([
    [guid(1), guid(4)],
    { large: 'it is larger than 10 bytes', four: 'there are more than 2 at the same time' },
  ]);
  underWay.giveUpAll('it is over');
  await underWay.settled();
  expect(refused).toMatchObject({ two: 'it is over', three: 'it is over' });
});

test('a name that Chromium does not give is none', async () => {
  const underWay = start();
  underWay.add('../secret', 'a.txt');
  underWay.complete('../secret');
  await underWay.settled();
  expect([taken, refused]).toEqual([{}, {}]);
});

test('a taker that fails costs the file and nothing else', async () => {
  const underWay = start({ take: () => Promise.reject(new Error('the disk is full')) });
  underWay.add(guid(1), 'a.txt');
  await writeFile(join(folder, guid(1)), 'abc');
  underWay.complete(guid(1));
  await underWay.settled();
  expect(refused).toEqual({ 'a.txt': 'it could not be read or stored' });
});
