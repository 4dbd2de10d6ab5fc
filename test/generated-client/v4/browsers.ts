import { expect } from 'vitest';
import type { paths } from '#generated/v4.ts';
import { ok } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Calls the operations of standalone browsers. */
export const browsers: Script = async (world) => {
  const api = world.connect<paths>();
  const created = await ok(
    api.POST('/browsers', { body: { proxyCountryCode: 'us', timeout: 15, metadata: { job: 'x' } } }),
  );
  const params = { path: { id: created.id } };
  expect(created.cdpUrl).toMatch(/^ws:/);
  expect(await ok(api.GET('/browsers/{id}', { params }))).toMatchObject({ id: created.id, status: 'active' });
  const listed = await ok(api.GET('/browsers', { params: { query: { filterBy: 'active' } } }));
  expect(listed.items.map(({ id }) => id)).toEqual([created.id]);
  const stopped = await ok(api.PATCH('/browsers/{id}', { params, body: { action: 'stop' } }));
  expect(stopped).toMatchObject({ status: 'stopped', cdpUrl: null });
};
