import { expect } from 'vitest';
import type { paths } from '#generated/v4.ts';
import { gone, ok } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Queues and cancels a message for a session, and renames, lists and deletes the session. */
export const sessions: Script = async (world) => {
  const api = world.connect<paths>();
  const { sessionId: session_id } = await ok(api.POST('/runs', { body: { task: 'svc-test: slow 60' } }));
  const params = { path: { session_id } };
  const message = await ok(api.POST('/sessions/{session_id}/queue', { params, body: { text: 'svc-test: succeed' } }));
  const one = { path: { session_id, message_id: message.id } };
  expect(await ok(api.GET('/sessions/{session_id}/queue/{message_id}', { params: one }))).toEqual(message);
  expect((await ok(api.GET('/sessions/{session_id}/queue', { params }))).queue).toEqual([message]);
  const taken = await ok(api.DELETE('/sessions/{session_id}/queue/{message_id}', { params: one }));
  expect(taken.status).toBe('cancelled');

  const renamed = await ok(api.PATCH('/sessions/{session_id}', { params, body: { title: 'Weekly prices' } }));
  expect(renamed.title).toBe('Weekly prices');
  expect(await ok(api.GET('/sessions/{session_id}', { params }))).toMatchObject({
    sessionId: session_id,
    title: 'Weekly prices',
  });
  const listed = await ok(api.GET('/sessions', { params: { query: { limit: 1 } } }));
  expect(listed.sessions.map(({ sessionId }) => sessionId)).toEqual([session_id]);
  await gone(api.DELETE('/sessions/{session_id}', { params }));
};
