import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { readProxySettings } from '../src/cli/serve/read-files.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

const task = 'Go to https://shop.example and tell the title';
let service: StartedBackend;

beforeAll(async () => {
  service = await startBackend({ countries: new Set(['jp', 'de']) });
});
afterAll(() => service.stop());

type Version = 'v2' | 'v3' | 'v4';

const creations: readonly {
  readonly version: Version;
  readonly path: string;
  /** Returns a request body with these settings in the object that also contains the country. */
  readonly body: (settings: JsonObject) => JsonObject;
  readonly place: readonly string[];
}[] = [
  { version: 'v2', path: '/sessions', body: (settings) => settings, place: [] },
  { version: 'v2', path: '/tasks', body: (sessionSettings) => ({ task, sessionSettings }), place: ['sessionSettings'] },
  { version: 'v3', path: '/sessions', body: (settings) => settings, place: [] },
  { version: 'v4', path: '/runs', body: (browserSettings) => ({ task, browserSettings }), place: ['browserSettings'] },
  { version: 'v4', path: '/browsers', body: (settings) => settings, place: [] },
];

describe.each(creations)('where a proxy is required, $version POST $path', ({ version, path, body, place }) => {
  const create = (settings: JsonObject): Promise<{ status: number; body: JsonObject }> =>
    createApiClient(service.address, undefined, version).call('POST', path, body(settings));

  it('refuses a country that no proxy leaves from, the default included', async () => {
    for (const [settings, country] of [
      [{ proxyCountryCode: 'fr' }, 'fr'],
      [{}, 'us'],
    ] as const) {
      const msg = `No proxy of this service leaves from "${country}": choose one of its countries (de, jp), or null for none`;
      const loc = ['body', ...place, 'proxyCountryCode'];
      expect(await create(settings)).toEqual({ status: 422, body: { detail: [{ loc, msg, type: 'value_error' }] } });
    }
  });

  it('takes one that a proxy leaves from, and null', async () => {
    for (const proxyCountryCode of ['jp', null]) expect((await create({ proxyCountryCode })).status).toBeLessThan(300);
  });
});

it.each(creations.filter(({ path, version }) => path !== '/tasks' && version !== 'v3'))(
  '$version POST $path accepts a custom proxy instead of any country',
  async ({ version, path, body }) => {
    const api = createApiClient(service.address, undefined, version);
    expect(
      (await api.call('POST', path, body({ customProxy: { host: 'proxy.example', port: 8080 } }))).status,
    ).toBeLessThan(300);
  },
);

it('a follow-up of a V4 run keeps the country that its session has, and is refused another', async () => {
  const v4 = createApiClient(service.address, undefined, 'v4');
  const first = await v4.call('POST', '/runs', { task, browserSettings: { proxyCountryCode: 'de' } });
  await v4.until(String(first.body['id']), ({ status }) => status === 'completed');
  const again = { task, sessionId: first.body['sessionId'] };
  const refused = await v4.call('POST', '/runs', { ...again, browserSettings: { proxyCountryCode: 'fr' } });
  expect(refused.status).toBe(422);
  expect((await v4.call('POST', '/runs', { ...again, browserSettings: {} })).status).toBe(200);
});

describe('proxyCountryCode of a V3 session', () => {
  it('is null where no proxy leaves from the country, and the declared country of the machine', async () => {
    const { proxies } = await readProxySettings(
      { proxies: null, requireProxy: false, exitCountries: ['de'] },
      defaultRules,
    );
    const own = await startBackend({ exitCountries: new Set(proxies.keys()) });
    try {
      const v3 = createApiClient(own.address, undefined, 'v3');
      const shown = async (settings: JsonObject): Promise<unknown> => {
        const { body } = await v3.call('POST', '/sessions', settings);
        const read = await v3.call('GET', `/sessions/${String(body['id'])}`);
        expect(read.body['proxyCountryCode']).toBe(body['proxyCountryCode']);
        return body['proxyCountryCode'];
      };
      expect(await shown({ proxyCountryCode: 'de' })).toBe('de');
      expect(await shown({ proxyCountryCode: 'fr' })).toBeNull();
      expect(await shown({})).toBeNull();
    } finally {
      await own.stop();
    }
  });
});

describe('the file of svc serve --proxies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxies-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  // The command shows an error that begins so as one sentence, with exit code 2.
  const read = (file: string): Promise<unknown> =>
    readProxySettings({ proxies: file, requireProxy: true }, defaultRules);

  it('is refused with every place that is wrong, but no secret', async () => {
    const file = join(folder, 'proxies.yaml');
    writeFileSync(
      file,
      'proxies: [{ countries: [gb], url: "http://u:hunter2@p.example:1", password: "${SVC_NO_SUCH}" }]',
    );
    await expect(read(file)).rejects.toThrow(/^Found in .*proxies\.0\.url has credentials.*SVC_NO_SUCH.*"gb"/);
    await expect(read(file)).rejects.not.toThrow('hunter2');
  });

  it('has to be there', async () => {
    await expect(read(join(folder, 'none.yaml'))).rejects.toThrow(/^Found no file at .* \(ENOENT\)/);
  });
});
