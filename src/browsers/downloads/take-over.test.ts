import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecordingLog } from '../testing/recording-log.ts';
import { type TakeDeps, createDownloadLedger, takeOver } from './watch-downloads.ts';
import type { DownloadFollower, DownloadRules, FinishedDownload } from './downloads.ts';

const rules = { fileBytesMax: 10, bytesMax: 10, filesMax: 3 };

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-take-over-'));
  for (const name of ['downloads', 'finished']) await mkdir(join(root, name));
});
afterEach(() => rm(root, { recursive: true }));

/**
 * Creates the parts of a test: `complete` performs a download of ten bytes with the given id. `files` lists the folder
 * of finished downloads.
 */
function start(keep: NonNullable<DownloadRules['keep']> | null, followers: DownloadFollower[] = []) {
  const ledger = createDownloadLedger(rules);
  const folder = { downloads: join(root, 'downloads'), finished: join(root, 'finished') };
  const parts: TakeDeps = {
    ledger,
    folder,
    log: createRecordingLog(),
    followers: new Set(followers),
    finished: new Set<FinishedDownload>(),
    rules: keep === null ? rules : { ...rules, keep },
  };
  return {
    ledger,
    complete: async (id: string): Promise<void> => {
      await writeFile(join(root, 'downloads', id), '0123456789');
      if (!ledger.begin(id, `${id}.txt`)) throw new Error('refused at its beginning');
      await takeOver(parts, id, id);
      expect(await readdir(folder.downloads)).toEqual([]);
    },
    files: () => readdir(folder.finished),
  };
}

const taker = (take: DownloadFollower['take']): DownloadFollower => ({ began() {}, failed() {}, take });

test('a file that could not be kept leaves its room to the next', async () => {
  const kept: string[] = [];
  let tries = 0;
  const { complete, files, ledger } = start(async ({ name }) => {
    if ((tries += 1) === 1) throw new Error('no room');
    kept.push(name);
  });
  await complete('a');
  await complete('b');
  // A kept file counts until the browser ends, although it has left the folder.
  expect([kept, await files(), ledger.begin('c', 'c'), ledger.progress('c', 1, 0)]).toEqual([
    ['b.txt'],
    [],
    true,
    false,
  ]);
});

test('files that are taken leave their room, and count as files all the same', async () => {
  const { complete, files, ledger } = start(null, [taker(() => Promise.resolve(true))]);
  for (const id of ['a', 'b', 'c']) await complete(id);
  expect([await files(), ledger.begin('d', 'd')]).toEqual([[], false]);
});

test('keeps a file without a taker until the browser ends', async () => {
  const { complete, files } = start(null, [taker(() => Promise.resolve(false))]);
  await complete('a');
  expect(await files()).toEqual(['a']);
});
