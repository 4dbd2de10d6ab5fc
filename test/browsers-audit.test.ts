import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ServiceProcess, runSvc, startService } from '../tools/conformance/svc-process.ts';
import { createApiClient } from './support/api-client.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { testKey } from './support/start-backend.ts';

/** Timeout for starting the service on a busy machine. */
const startMs = 120_000;
let folder: string;
let served: ServiceProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-audit-'));
});
afterEach(async () => {
  await served?.stop();
  served = null;
  rmSync(folder, { recursive: true, force: true });
});

it('svc serve --audit records each request of a client and its outcome, without values', {
  timeout: startMs,
}, async () => {
  const file = join(folder, 'audit.jsonl');
  const data = ['--port', '0', '--hosts', 'simulated', '--data', join(folder, 'data'), '--bootstrap-key', testKey];
  served = await startService({ args: [...data, '--audit', file, '--cdp-allow', 'Unheard.*'] });
  const { body } = await createApiClient(served.address, testKey, 'v4').call('POST', '/browsers', {});
  const client = await connectRaw(String(body['cdpUrl']));
  const secret = 'a-secret-value';
  await client.call('Browser.getVersion', { secret });
  await client.call('Unheard.of', { secret });
  await client.call('Target.createBrowserContext', { proxyServer: secret });
  await client.call('Page.navigate', { url: `file:///${secret}` });
  await client.call('SystemInfo.getInfo', { secret });
  await client.call('Browser.setWindowBounds', { windowId: 1, bounds: { width: 800 } });
  await client.call(secret, {}, secret);
  await client.next(`{"id":1,"${secret}`);
  await client.call('Browser.close');
  await client.ended;
  await served.stop();
  served = null;

  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(secret);
  expect(text).not.toContain(String(body['cdpUrl']).split('/').pop());
  const lines = text.trimEnd().split('\n');
  const noted = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(new Set(noted.map(({ browser, client: name }) => `${String(browser)} ${String(name)}`)).size).toBe(1);
  expect(noted.map(({ at: _at, browser, client: _name, ...rest }) => [browser === body['id'], rest])).toEqual(
    [
      { event: 'joined', from: '127.0.0.1' },
      { event: 'message', method: 'Browser.getVersion', outcome: 'passed' },
      { event: 'message', method: 'Unheard.of', outcome: 'passed' },
      { event: 'message', method: 'Target.createBrowserContext', outcome: 'rewritten' },
      { event: 'message', method: 'Page.navigate', outcome: 'refused' },
      { event: 'message', method: 'SystemInfo.getInfo', outcome: 'refused' },
      { event: 'message', method: 'Browser.setWindowBounds', outcome: 'answered' },
      { event: 'message', method: '(not shown)', session: '(not shown)', outcome: 'refused' },
      { event: 'message', outcome: 'malformed' },
      { event: 'message', method: 'Browser.close', outcome: 'answered' },
      { event: 'left', code: 1000, passed: 2, rewritten: 1, refused: 3, answered: 2, malformed: 1 },
    ].map((rest) => [true, rest]),
  );
});

it('svc serve says why it cannot keep notes, or open a domain', { timeout: startMs }, async () => {
  const data = ['serve', '--port', '0', '--hosts', 'simulated', '--data', join(folder, 'data')];
  expect(await runSvc([...data, '--audit', join(folder, 'no', 'such')], {})).toBe(2);
  expect(await runSvc([...data, '--cdp-allow', 'SystemInfo.*'], {})).toBe(2);
});
