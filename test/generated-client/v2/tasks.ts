import { expect } from 'vitest';
import type { paths } from '#generated/v2.ts';
import { ok, until } from '../support/answers.ts';
import { download } from '../support/transfer.ts';
import type { Script } from '../support/world.ts';

/** Runs a task to its end and reads its log. Stops another task. */
export const tasks: Script = async (world) => {
  const api = world.connect<paths>();
  const body = {
    task: 'svc-test: succeed',
    llm: 'gemini-2.5-flash',
    thinkingLevel: 'low',
    metadata: { job: 'x' },
  } as const;
  const { id, sessionId } = await ok(api.POST('/tasks', { body }));
  const params = { path: { task_id: id } };
  await until(
    () => ok(api.GET('/tasks/{task_id}/status', { params })),
    ({ status }) => status === 'finished',
  );
  const task = await ok(api.GET('/tasks/{task_id}', { params }));
  expect(task).toMatchObject({ output: 'svc-test: succeed', isSuccess: true, sessionId, metadata: { job: 'x' } });
  expect(await download((await ok(api.GET('/tasks/{task_id}/logs', { params }))).downloadUrl)).toContain(id);
  const listed = await ok(api.GET('/tasks', { params: { query: { filterBy: 'finished', sessionId } } }));
  expect(listed.items.map((item) => item.id)).toEqual([id]);

  const slow = await ok(api.POST('/tasks', { body: { task: 'svc-test: slow 60' } }));
  const stopped = await ok(
    api.PATCH('/tasks/{task_id}', {
      params: { path: { task_id: slow.id } },
      body: { action: 'stop_task_and_session' },
    }),
  );
  expect(stopped.status).toBe('stopped');
};
