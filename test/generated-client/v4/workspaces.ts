import { expect } from 'vitest';
import type { paths } from '#generated/v4.ts';
import { gone, ok } from '../support/answers.ts';
import { download, send } from '../support/transfer.ts';
import type { Script } from '../support/world.ts';

/** Creates workspaces, and uploads and downloads their files. */
export const workspaces: Script = async (world) => {
  const api = world.connect<paths>();
  const { id } = await ok(api.POST('/workspaces', { body: { name: 'Invoices' } }));
  const params = { path: { workspace_id: id } };
  const texts = ['first', 'the second'];
  const files = texts.map((text, index) => ({ name: `${index}.txt`, contentType: 'text/plain', size: text.length }));
  const uploads = await ok(
    api.POST('/workspaces/{workspace_id}/files/upload', { params, body: { files, allowOverrides: true } }),
  );
  for (const [index, text] of texts.entries()) await send(String(uploads.files[index]?.uploadUrl), text);

  const query = { prefix: 'uploads/', includeUrls: true };
  const listed = await ok(api.GET('/workspaces/{workspace_id}/files', { params: { ...params, query } }));
  expect(await Promise.all(listed.files.map(({ url }) => download(url)))).toEqual(texts);
  expect((await ok(api.GET('/workspaces/{workspace_id}/size', { params }))).usedBytes).toBe(15);
  const path = String(listed.files[0]?.path);
  await gone(api.DELETE('/workspaces/{workspace_id}/files', { params: { ...params, query: { path } } }));
  const renamed = await ok(api.PATCH('/workspaces/{workspace_id}', { params, body: { name: null } }));
  expect(await ok(api.GET('/workspaces/{workspace_id}', { params }))).toEqual(renamed);
  await gone(api.DELETE('/workspaces/{workspace_id}', { params }));
};
