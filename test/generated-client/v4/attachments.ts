import { expect } from 'vitest';
import type { paths } from '#generated/v4.ts';
import { gone, ok, until } from '../support/answers.ts';
import { download, send } from '../support/transfer.ts';
import type { Script } from '../support/world.ts';

/** Attaches a file to a run, and reads it from the run and from the workspace. */
export const attachments: Script = async (world) => {
  const api = world.connect<paths>();
  const { id: workspaceId } = await ok(api.POST('/workspaces', { body: {} }));
  const params = { path: { workspace_id: workspaceId } };
  const files = [{ name: 'notes.txt', contentType: 'text/plain', size: 5 }];
  const [upload] = (await ok(api.POST('/workspaces/{workspace_id}/files/upload', { params, body: { files } }))).files;
  await send(String(upload?.uploadUrl), 'pears');

  const id = String(upload?.id);
  const body = { task: 'Read the file notes.txt and save it as out/copy.txt', workspaceId, attachedFileIds: [id] };
  const created = await ok(api.POST('/runs', { body }));
  expect(created).toMatchObject({ workspaceId, missingFileIds: [] });
  const run = { path: { run_id: created.id } };
  const ended = await until(
    () => ok(api.GET('/runs/{run_id}', { params: run })),
    ({ status }) => status === 'completed',
  );
  expect(ended.attachedFileIds).toEqual([id]);
  const attached = await ok(api.GET('/runs/{run_id}/attachments', { params: run }));
  expect(attached.attachments).toEqual([
    { id, name: 'notes.txt', contentType: 'text/plain', sizeBytes: 5, status: 'uploaded' },
  ]);
  const query = { prefix: 'out/', includeUrls: true };
  const made = await ok(api.GET('/workspaces/{workspace_id}/files', { params: { ...params, query } }));
  expect(made.files.map(({ path }) => path)).toEqual(['out/copy.txt']);
  expect(await download(made.files[0]?.url)).toBe('pears');
  await gone(api.DELETE('/workspaces/{workspace_id}', { params }));
};
