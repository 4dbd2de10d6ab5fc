import { expect } from 'vitest';
import type { paths } from '#generated/v2.ts';
import { gone, ok } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Creates the public share of a session, opens the share without a key, and deletes the share. */
export const shares: Script = async (world) => {
  const api = world.connect<paths>();
  const { id } = await ok(api.POST('/sessions', { body: {} }));
  const params = { path: { session_id: id } };
  const share = await ok(api.POST('/sessions/{session_id}/public-share', { params }));
  const page = await fetch(share.shareUrl);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  const seen = await ok(api.GET('/sessions/{session_id}/public-share', { params }));
  expect(seen).toEqual({ ...share, viewCount: 1, lastViewedAt: expect.any(String) });
  expect((await ok(api.GET('/sessions/{session_id}', { params }))).publicShareUrl).toBe(share.shareUrl);
  await gone(api.DELETE('/sessions/{session_id}/public-share', { params }));
  expect((await fetch(share.shareUrl)).status).toBe(404);
  await gone(api.DELETE('/sessions/{session_id}', { params }));
};
