import { expect } from 'vitest';
import type { paths } from '#generated/v2.ts';
import { gone, ok } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Creates a session with a task, lists it, stops it and deletes it. */
export const sessions: Script = async (world) => {
  const api = world.connect<paths>();
  const { id } = await ok(api.POST('/sessions', { body: { proxyCountryCode: 'us', keepAlive: true } }));
  const params = { path: { session_id: id } };
  const task = await ok(api.POST('/tasks', { body: { task: 'svc-test: slow 60', sessionId: id } }));
  const session = await ok(api.GET('/sessions/{session_id}', { params }));
  expect(session.tasks.map((item) => item.id)).toEqual([task.id]);
  const listed = await ok(api.GET('/sessions', { params: { query: { filterBy: 'active', pageSize: 1 } } }));
  expect(listed.items.map((item) => item.id)).toEqual([id]);
  const stopped = await ok(api.PATCH('/sessions/{session_id}', { params, body: { action: 'stop' } }));
  expect(stopped.status).toBe('stopped');
  await gone(api.DELETE('/sessions/{session_id}', { params }));
};
