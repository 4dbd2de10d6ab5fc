import { expect, test } from 'vitest';
import type { LaunchOptions } from '../host.ts';
import { fitsWarm } from './warm-launches.ts';

const like: LaunchOptions = { sessionId: 'kept', screen: { width: 1280, height: 800 }, proxyCountryCode: 'us' };
const proxy = { host: 'proxy.example', port: 3128, username: null, password: null, ignoreCertErrors: false };

test.each<[string, object, boolean]>([
  ['another name', { sessionId: 'other' }, true],
  ['what is given at any time', { allowsResizing: false, answered: () => undefined, startsWithinMs: 5 }, true],
  ['downloads', { downloads: { fileBytesMax: 1, bytesMax: 1, filesMax: 1 } }, true],
  ['the defaults in words', { showsPdf: true, customProxy: null }, true],
  ['another window', { screen: { width: 1281, height: 800 } }, false],
  ['another country', { proxyCountryCode: 'de' }, false],
  ['no country', { proxyCountryCode: null }, false],
  ['a proxy of its own', { customProxy: proxy }, false],
  ['no PDF viewer', { showsPdf: false }, false],
  ['a member that nobody has heard of', { profile: { id: 'x' } }, false],
])('%s: %j', (_name, change, fits) => {
  expect(fitsWarm(like, { ...like, ...change })).toBe(fits);
});
