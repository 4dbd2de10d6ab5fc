import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { otherKey, testKey } from './support/start-backend.ts';
import { setFiles } from './support/set-files.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';
import { formFor, sendForm } from './support/upload-form.ts';

let real: RealBackend;
let v2: ApiClient;
let browser: { id: string; cdpUrl: string };
let client: RawCdp;

beforeAll(async () => {
  real = await startRealBackend();
  v2 = createApiClient(real.address, testKey, 'v2');
});
afterAll(() => real.stop());
beforeEach(async () => {
  browser = await real.browser();
  client = await connectRaw(browser.cdpUrl);
});
afterEach(async () => {
  client.close();
  await real.v4.call('PATCH', `/browsers/${browser.id}`, { action: 'stop' });
});

async function upload(text: string, fileName = 'cv.txt'): Promise<string> {
  const form = await formFor(v2, browser.id, { of: 'browsers', fileName, sizeBytes: text.length });
  const sent = await sendForm(form, text);
  if (sent.status !== 200) throw new Error(JSON.stringify(sent));
  return form.fileName;
}

describe('a file that was uploaded to a browser', () => {
  it('can be set as the file of an input, whatever path its client has', async () => {
    const name = await upload('my life', 'my/cv.txt');
    expect(name).toBe('my_cv.txt');
    expect(await setFiles(client, [name])).toBe('my_cv.txt=my life');
    await upload('a photo', 'me.txt');
    expect(await setFiles(client, ['/home/me/my_cv.txt', 'C:\\me.txt'])).toBe('my_cv.txt=my life,me.txt=a photo');
    await upload('newer', 'me.txt');
    expect(await setFiles(client, ['me.txt'])).toBe('me.txt=newer');
  });

  it('can be set by Puppeteer, which sends a path of its own machine', async () => {
    await upload('my life');
    const remote = await connect({ browserWSEndpoint: browser.cdpUrl, defaultViewport: null });
    const page = await remote.newPage();
    await page.setContent('<input type=file>');
    const input = await page.$('input[type=file]');
    if (input === null) throw new Error('the page has no input');
    await input.uploadFile('cv.txt');
    expect(await page.evaluate('document.querySelector("input").files[0].text()')).toBe('my life');
    await remote.disconnect();
  });

  it('is the only one: no other path names anything', async () => {
    await upload('my life');
    for (const path of ['/etc/passwd', 'gone.txt', '..', '../owner.json', ''])
      expect(await setFiles(client, ['cv.txt', path])).toContain('DOM.setFileInputFiles');
  });

  it('is of its own browser', async () => {
    await upload('my life');
    const another = await real.browser();
    const stranger = await connectRaw(another.cdpUrl);
    expect(await setFiles(stranger, ['cv.txt'])).toContain('DOM.setFileInputFiles');
    stranger.close();
    await real.v4.call('PATCH', `/browsers/${another.id}`, { action: 'stop' });
  });

  it('is there again when the browser has crashed', async () => {
    await upload('my life');
    for (const { pid } of await real.processes()) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(real.folders()).toEqual([]), { timeout: 60_000 });
    const again = await connectRaw(browser.cdpUrl);
    expect(await setFiles(again, ['cv.txt'])).toBe('cv.txt=my life');
    again.close();
  });

  it('goes with the browser', async () => {
    await upload('my life');
    const blobs = join(real.dataFolder, 'blobs');
    expect(readdirSync(blobs)).toHaveLength(1);
    await real.v4.call('PATCH', `/browsers/${browser.id}`, { action: 'stop' });
    expect(readdirSync(blobs)).toEqual([]);
    expect(
      real.folders().filter((name) => existsSync(join(real.dataFolder, 'browsers', name, 'uploads', 'cv.txt'))),
    ).toEqual([]);
    expect(await real.backend.db.selectFrom('files').select('id').execute()).toEqual([]);
  });
});

describe('a form for a file of a browser', () => {
  const wanted = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 3 };

  it('is for active browsers of the project', async () => {
    const other = createApiClient(real.address, otherKey, 'v2');
    const path = `/files/browsers/${browser.id}/presigned-url`;
    expect(await other.call('POST', path, wanted)).toMatchObject({
      status: 404,
      body: { detail: 'Session not found' },
    });
    const open = await formFor(v2, browser.id, { of: 'browsers' });
    await real.v4.call('PATCH', `/browsers/${browser.id}`, { action: 'stop' });
    expect(await v2.call('POST', path, wanted)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('stopped') },
    });
    expect((await sendForm(open, 'abc')).status).toBe(404);
  });
});
