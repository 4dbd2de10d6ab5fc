import { expect } from 'vitest';
import type { paths as V2 } from '#generated/v2.ts';
import type { paths as V3 } from '#generated/v3.ts';
import type { paths as V4 } from '#generated/v4.ts';
import { gone, ok } from './answers.ts';
import type { Script } from './world.ts';

/** Returns the type `One`. A use compiles only if `One` is assignable to `Other`. */
type Same<One extends Other, Other> = One;
type Profiles = '/profiles' | '/profiles/{profile_id}';
type Shared = Same<Same<Pick<V2, Profiles>, Pick<V3, Profiles>>, Pick<V4, Profiles>>;

/** Calls the operations of profiles, which V2, V3 and V4 share. */
export const profiles: Script = async (world) => {
  const api = world.connect<Shared>();
  const created = await ok(api.POST('/profiles', { body: { name: 'shop account', userId: 'user-17' } }));
  const params = { path: { profile_id: created.id } };
  expect(await ok(api.GET('/profiles/{profile_id}', { params }))).toEqual(created);
  const { items } = await ok(api.GET('/profiles', { params: { query: { query: 'SHOP', pageSize: 5 } } }));
  expect(items).toEqual([created]);
  const renamed = await ok(api.PATCH('/profiles/{profile_id}', { params, body: { name: 'other' } }));
  expect(renamed).toMatchObject({ name: 'other', userId: 'user-17' });
  await gone(api.DELETE('/profiles/{profile_id}', { params }));
};
