import { afterEach, expect, it } from 'vitest';
import type { BrowserHost, BrowserUploads } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { listUnreferencedKeys } from '#store/blobs/unreferenced-blobs.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { formFor, sendForm } from './support/upload-form.ts';

let started: StartedBackend;

afterEach(() => started.stop());

/** Creates a host whose browsers pass their uploads to the function `put` of the test. */
function hostWith(put: BrowserUploads['put']): BrowserHost {
  const host = createSimulatedHost();
  return {
    ...host,
    async launch(options) {
      const browser = await host.launch(options);
      return { ...browser, uploads: { ...browser.uploads, put } };
    },
  };
}

it('keeps the same one of two concurrent uploads with one name in the store and in the browser', async () => {
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: writing, resolve: begun } = Promise.withResolvers<void>();
  const placed = new Map<string, string>();
  const host = hostWith(async (name, bytes) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    if (text === 'old') {
      begun();
      await gate;
    }
    placed.set(name, text);
  });
  started = await startBackend({ host });
  const v2 = createApiClient(started.address, testKey, 'v2');
  const { id } = (await createApiClient(started.address, testKey, 'v4').call('POST', '/browsers', {})).body;
  const [first, second] = [
    await formFor(v2, String(id), { of: 'browsers' }),
    await formFor(v2, String(id), { of: 'browsers' }),
  ];
  const slow = sendForm(first, 'old');
  await writing;
  expect((await sendForm(second, 'new')).status).toBe(200);
  letGo();
  expect((await slow).status).toBe(200);
  expect([...placed]).toEqual([['notes.txt', 'new']]);
});

it('what is uploaded to a browser that does not start after all goes with it', async () => {
  const { promise: gate, resolve: fail } = Promise.withResolvers<void>();
  const { promise: launching, resolve: begun } = Promise.withResolvers<void>();
  const launch: BrowserHost['launch'] = async () => {
    begun();
    await gate;
    throw new Error('no Chromium today');
  };
  started = await startBackend({ host: { ...createSimulatedHost(), launch } });
  const [v2, v4] = (['v2', 'v4'] as const).map((version) => createApiClient(started.address, testKey, version));
  if (v2 === undefined || v4 === undefined) throw new Error('no clients');
  const created = v4.call('POST', '/browsers', {});
  await launching;
  const [row] = (await v4.call('GET', '/browsers')).body['items'] as { id: string }[];
  const forms = [
    await formFor(v2, String(row?.id), { of: 'browsers' }),
    await formFor(v2, String(row?.id), { of: 'browsers' }),
  ];
  const [now, later] = forms;
  if (now === undefined || later === undefined) throw new Error('no forms');
  expect((await sendForm(now, 'abc')).status).toBe(200);
  fail();
  expect((await created).status).toBe(503);
  expect((await sendForm(later, 'abc')).status).toBe(404);
  const { db } = started.backend;
  expect([await db.selectFrom('files').select('path').execute(), await listUnreferencedKeys(db)]).toEqual([[], []]);
});
