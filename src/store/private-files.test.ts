import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closePaths, makePrivateFile, makePrivateFolder, openPaths } from './data-folder.ts';

let folder: string;
let mask: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-private-'));
  mask = process.umask();
});
afterEach(() => {
  process.umask(mask);
  rmSync(folder, { recursive: true });
});

const readMode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

it.each([0, 0o022, 0o077, 0o177])(
  'makes folders and files that their owner alone can use under the umask %o',
  (umask) => {
    const [data, file] = [join(folder, 'data'), join(folder, 'data', 'svc.sqlite')];
    process.umask(umask);
    makePrivateFolder(data);
    makePrivateFile(file);
    expect([readMode(data), readMode(file)]).toEqual(['700', '600']);
    makePrivateFolder(data);
    makePrivateFile(file);
  },
);

it('finds what others can reach, takes it from them once, and leaves links and what browsers write alone', async () => {
  const at = (...names: string[]): string => join(folder, ...names);
  expect(await openPaths(at('none'))).toEqual([]);
  for (const name of ['blobs', 'recordings', 'browsers']) mkdirSync(at(name), { mode: 0o755 });
  mkdirSync(at('browsers', 'one'), { mode: 0o711 });
  for (const name of ['svc.sqlite', 'svc.sqlite-wal', join('blobs', 'a'), join('browsers', 'one', 'cookie')])
    writeFileSync(at(name), '', { mode: 0o644 });
  const elsewhere = mkdtempSync(join(tmpdir(), 'svc-elsewhere-'));
  chmodSync(elsewhere, 0o755);
  symlinkSync(elsewhere, at('link'));
  chmodSync(folder, 0o755);
  const open = ['.', 'blobs', 'browsers', 'recordings', 'svc.sqlite', 'svc.sqlite-wal', join('blobs', 'a')];
  expect((await openPaths(folder)).toSorted()).toEqual(open.map((name) => at(name)).toSorted());
  expect(await closePaths(folder)).toHaveLength(open.length);
  expect([await openPaths(folder), readMode(at('blobs')), readMode(at('blobs', 'a'))]).toEqual([[], '700', '600']);
  expect([readMode(elsewhere), readMode(at('browsers', 'one'))]).toEqual(['755', '711']);
  rmSync(elsewhere, { recursive: true });
});
