import { expect } from 'vitest';
import type { paths } from '#generated/v3.ts';
import { gone, ok, until } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Creates a session with a task, sends a follow-up, reads the messages of both tasks, and stops the session. */
export const sessions: Script = async (world) => {
  const api = world.connect<paths>();
  const body = { task: 'svc-test: succeed', model: 'claude-opus-4.7', thinkingLevel: 'high', keepAlive: true } as const;
  const { id } = await ok(api.POST('/sessions', { body }));
  const params = { path: { session_id: id } };
  const ended = (): Promise<{ output?: unknown; status: string }> =>
    until(
      () => ok(api.GET('/sessions/{session_id}', { params })),
      ({ status }) => status === 'idle',
    );
  expect(await ended()).toMatchObject({ output: 'svc-test: succeed', thinkingLevel: 'high', isTaskSuccessful: true });
  const followed = await ok(
    api.POST('/sessions', { body: { sessionId: id, task: 'svc-test: structured', thinkingLevel: null } }),
  );
  expect(followed).toMatchObject({ id, thinkingLevel: null });
  await ended();
  const { messages } = await ok(
    api.GET('/sessions/{session_id}/messages', { params: { ...params, query: { limit: 100 } } }),
  );
  expect(messages.filter(({ role }) => role === 'human').map(({ data }) => data)).toEqual([
    'svc-test: succeed',
    'svc-test: structured',
  ]);
  const listed = await ok(api.GET('/sessions', { params: { query: { page: 1, page_size: 5 } } }));
  expect(listed.sessions.map((session) => session.id)).toEqual([id]);
  const stopped = await ok(api.POST('/sessions/{session_id}/stop', { params, body: { strategy: 'session' } }));
  expect(stopped.status).toBe('stopped');
  await gone(api.DELETE('/sessions/{session_id}', { params }));
};
