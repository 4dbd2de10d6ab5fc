import { expect } from 'vitest';
import type { components, paths } from '#generated/v4.ts';
import { type FileServer, serveFiles } from '#browsers/testing/serve-files.ts';
import { connectRaw } from '../../support/raw-cdp.ts';
import { startRealBackend } from '../../support/start-real-backend.ts';
import { ok, until } from '../support/answers.ts';
import { download } from '../support/transfer.ts';
import type { Script, World } from '../support/world.ts';

/** Lists and fetches downloads of a standalone browser with real Chromium, also after its stop. */
export const downloads: Script = async (world) => {
  const server = await serveFiles();
  const real = await startRealBackend({ allow: [server.host] });
  try {
    await downloadAll(world, real.address, server);
  } finally {
    await real.stop();
    await server.close();
  }
};

async function downloadAll(world: World, address: string, server: FileServer): Promise<void> {
  const api = world.connect<paths>(address);
  const { id, cdpUrl } = await ok(api.POST('/browsers', { body: {} }));
  const client = await connectRaw(cdpUrl);
  for (const name of ['a.txt', 'b.txt']) await client.result('Target.createTarget', { url: server.file(name, name) });
  const params = { path: { id } };
  await until(
    () => ok(api.GET('/browsers/{id}/downloads', { params })),
    ({ files }) => files.length === 2,
  );
  client.close();
  await ok(api.PATCH('/browsers/{id}', { params, body: { action: 'stop' } }));

  const first = await page({ limit: 1 });
  expect(first).toMatchObject({ files: [{ path: 'a.txt', size: 5 }], hasMore: true });
  const second = await page({ limit: 1, cursor: String(first.nextCursor) });
  expect(second).toMatchObject({ files: [{ path: 'b.txt', size: 5 }], hasMore: false });
  const urls = [...first.files, ...second.files].map(({ url }) => url);
  expect(await Promise.all(urls.map((url) => download(url)))).toEqual(['a.txt', 'b.txt']);

  function page(query: { limit: number; cursor?: string }): Promise<components['schemas']['BrowserDownloadList']> {
    return ok(api.GET('/browsers/{id}/downloads', { params: { ...params, query: { ...query, includeUrls: true } } }));
  }
}
