import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAllowedAddress } from '#contract/allowed-domains.ts';
import { findChromium } from '../launch/find-chromium.ts';
import type { ChromiumBinary } from '../launch/bundled-chromium.ts';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import type { LocalBrowser } from '../local-browser.ts';
import { type EscapeTechnique, escapeTechniques } from '../testing/escape-techniques.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog } from '../testing/recording-log.ts';
import { type EscapeServer, serveEscapes } from '../testing/serve-escapes.ts';

let directory: string;
let server: EscapeServer;
const hosts: LocalHost[] = [];
let bounded: LocalBrowser;
/** A browser without restrictions, and without the flags that disable some of the techniques. */
let free: LocalBrowser;

async function launch(sessionId: string, find: () => Promise<ChromiumBinary>): Promise<LocalBrowser> {
  const host = await createLocalHost({
    directory: join(directory, sessionId),
    log: createRecordingLog(),
    allow: server.hosts,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    find,
    probe: probeOnce,
  });
  hosts.push(host);
  return host.launch({ sessionId, screen: { width: 800, height: 600 }, proxyCountryCode: null });
}

/**
 * Returns a script in place of the Chromium binary. It starts Chromium without the flags `--enable-features` and
 * `--disable-features`.
 */
async function withoutFeatureFlags(): Promise<ChromiumBinary> {
  const binary = await findChromium();
  const path = join(directory, 'chromium-of-all-features');
  const program = `for flag; do shift; case "$flag" in --*able-features=*) ;; *) set -- "$@" "$flag";; esac; done; exec "${binary.path}" "$@"`;
  await writeFile(path, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  return { ...binary, path };
}

beforeAll(async () => {
  server = await serveEscapes();
  directory = await mkdtemp(join(tmpdir(), 'svc-escapes-'));
  await chmod(directory, 0o755);
  [bounded, free] = await Promise.all([launch('bounded', findChromium), launch('free', withoutFeatureFlags)]);
  const domains = [server.sites.allowed, server.sites.friend];
  await bounded.confine((address) => isAllowedAddress(domains, address));
});
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  await server.close();
  await rm(directory, { recursive: true });
});

/**
 * Opens the test page of an escape technique in a new browser context. Returns a function that disposes of this
 * context.
 */
async function attempt(
  { mux }: LocalBrowser,
  run: string,
  technique: EscapeTechnique,
): Promise<() => Promise<unknown>> {
  const { browserContextId = '' } = await mux.command('Target.createBrowserContext');
  await mux.command('Target.createTarget', { url: server.page(run, technique), browserContextId });
  return () => mux.command('Target.disposeBrowserContext', { browserContextId });
}

test('pages of allowed hosts open, those included that speculation rules name', async () => {
  const tab = await bounded.tab();
  await tab.open(`${server.sites.allowed}/speculate?to=${encodeURIComponent('/plain')}`);
  await tab.click('Go');
  expect(await tab.url()).toBe(`${server.sites.allowed}/plain`);
});

test.concurrent.for(escapeTechniques)('$name brings no document of a forbidden host', async (technique, context) => {
  const ends = [await attempt(bounded, 'bounded', technique), await attempt(free, 'free', technique)];
  // The free browser starts later. When its request has arrived, a request of the bounded browser would have arrived
  // too.
  if (technique.never === undefined)
    await context.expect.poll(() => server.asked('free', technique)).toBeGreaterThan(0);
  context.expect(server.asked('bounded', technique)).toBe(0);
  for (const end of ends) await end();
});

test('nothing of it comes later either, and what Chromium itself never does is not done', () => {
  const asked = (run: string, techniques: readonly EscapeTechnique[]): string[] =>
    techniques.filter((technique) => server.asked(run, technique) > 0).map(({ name }) => name);
  expect(asked('bounded', escapeTechniques)).toEqual([]);
  const impossible = escapeTechniques.filter(({ never }) => never !== undefined);
  expect(asked('free', impossible)).toEqual([]);
});
