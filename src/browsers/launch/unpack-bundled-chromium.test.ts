import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChromiumBinary, unpackBundledChromium } from './bundled-chromium.ts';

const run = promisify(execFile);
let cache: string;
let binaries: ChromiumBinary[];

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'svc-cache-'));
  // Two concurrent calls, like two services that start together on a new machine.
  binaries = await Promise.all([1, 2].map(() => unpackBundledChromium({ environment: {}, cache })));
});
afterAll(() => rm(cache, { recursive: true }));

test('two at once give the same complete folder and leave no other', async () => {
  const [first, second] = binaries;
  expect(first).toEqual(second);
  const folders = await readdir(cache);
  expect(folders).toHaveLength(1);
  expect(folders[0]).toMatch(/^chromium-\d+/);
});

test('everything can be read and started by another user', async () => {
  const folder = dirname(binaries[0]?.path ?? '');
  for (const path of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, path));
    expect({ path, mode: mode & 0o777 }).toEqual({ path, mode: 0o755 });
  }
});

test('the libraries that a bare system lacks come from our folder', async () => {
  const [binary] = binaries;
  const { stdout } = await run('ldd', [binary?.path ?? ''], { env: { ...process.env, ...binary?.environment } });
  const folder = binary?.environment['LD_LIBRARY_PATH'] ?? '';
  for (const library of ['libnss3.so', 'libnspr4.so', 'libnssutil3.so', 'libexpat.so.1']) {
    expect(stdout).toContain(`${library} => ${join(folder, library)}`);
  }
  expect(stdout).not.toContain('not found');
});

test('the font configuration names our fonts and nothing in a shared temporary folder', async () => {
  const configuration = await readFile(binaries[0]?.environment['FONTCONFIG_FILE'] ?? '', 'utf8');
  expect(configuration).toContain(`<dir>${join(dirname(binaries[0]?.path ?? ''), 'fonts')}</dir>`);
  expect(configuration).not.toContain('<dir>/tmp/fonts');
});
