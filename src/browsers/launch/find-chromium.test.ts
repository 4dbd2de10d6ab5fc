import { expect, test } from 'vitest';
import { findChromium } from './find-chromium.ts';
import type { ChromiumBinary } from './bundled-chromium.ts';

const bundledBinary: ChromiumBinary = { path: '/bundled', environment: { LD_LIBRARY_PATH: '/lib' }, source: 'bundled' };
const bundled = async (): Promise<ChromiumBinary> => bundledBinary;

test('takes CHROMIUM_PATH first', async () => {
  const found = await findChromium({
    environment: { CHROMIUM_PATH: '/bin/true' },
    installedPaths: ['/bin/false'],
    bundled,
  });
  expect(found).toEqual({ path: '/bin/true', environment: {}, source: 'CHROMIUM_PATH' });
});

test('does not replace a CHROMIUM_PATH that cannot be started by something else', async () => {
  for (const path of ['/nowhere', '/etc/passwd', '/tmp']) {
    await expect(findChromium({ environment: { CHROMIUM_PATH: path }, bundled })).rejects.toThrow(
      `CHROMIUM_PATH is ${path}`,
    );
  }
});

test('takes the first installed binary next', async () => {
  const found = await findChromium({
    environment: {},
    installedPaths: ['/nowhere', '/bin/true', '/bin/false'],
    bundled,
  });
  expect(found).toEqual({ path: '/bin/true', environment: {}, source: 'installed' });
});

test('takes the bundled one last', async () => {
  expect(await findChromium({ environment: { CHROMIUM_PATH: '' }, installedPaths: ['/nowhere'], bundled })).toBe(
    bundledBinary,
  );
});

test('takes the bundled one instead of an installed one where CHROMIUM_PATH is "bundled"', async () => {
  const environment = { CHROMIUM_PATH: 'bundled' };
  expect(await findChromium({ environment, installedPaths: ['/bin/true'], bundled })).toBe(bundledBinary);
});
