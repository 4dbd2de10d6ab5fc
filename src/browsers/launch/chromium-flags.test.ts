import { expect, test } from 'vitest';
import { chromiumFlags } from './chromium-flags.ts';

const given = {
  profile: '/p',
  screen: { width: 1280, height: 800 },
  proxyPort: 8123,
  sandbox: true,
  sharedMemoryOnDisk: false,
};

test('every browser is behind the proxy, without a port, and isolated', () => {
  const flags = chromiumFlags(given);
  for (const flag of [
    '--remote-debugging-pipe',
    '--proxy-server=http://127.0.0.1:8123',
    '--proxy-bypass-list=<-loopback>',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--user-data-dir=/p',
    '--window-size=1280,800',
    '--password-store=basic',
  ]) {
    expect(flags).toContain(flag);
  }
  expect(flags.some((flag) => flag.startsWith('--remote-debugging-port'))).toBe(false);
  expect(flags).not.toContain('--no-sandbox');
  expect(
    flags.filter((flag) => flag.startsWith('--disable-features=')),
    'a second list would replace the first',
  ).toHaveLength(1);
});

test('resolves nothing but the address of the proxy', () => {
  expect(chromiumFlags(given)).toContain('--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1');
});

test('tells the place of the browser, where it has one', () => {
  const place = { language: 'de-DE', timeZone: 'Europe/Berlin', latitude: 0, longitude: 0 };
  expect(chromiumFlags({ ...given, place })).toEqual(expect.arrayContaining(['--lang=de-DE', '--accept-lang=de-DE']));
  expect(chromiumFlags(given).filter((flag) => /lang/.test(flag))).toEqual([]);
});

test('gives up the sandbox and /dev/shm only when told to', () => {
  const flags = chromiumFlags({ ...given, sandbox: false, sharedMemoryOnDisk: true });
  expect(flags).toContain('--no-sandbox');
  expect(flags).toContain('--disable-dev-shm-usage');
});

test('sets the identity only when it is known', () => {
  const identity = { userAgent: 'Mozilla/5.0 (it)', userAgentMetadata: {}, acceptLanguage: 'en-US,en' };
  const flags = chromiumFlags({ ...given, identity });
  expect(flags).toEqual(
    expect.arrayContaining([
      '--user-agent=Mozilla/5.0 (it)',
      '--disable-blink-features=AutomationControlled',
      '--lang=en-US',
      '--screen-info={1920x1080}',
    ]),
  );
  expect(chromiumFlags(given).some((flag) => /user-agent|Automation/.test(flag))).toBe(false);
});
