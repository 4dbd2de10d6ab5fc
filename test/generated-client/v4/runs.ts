import { expect } from 'vitest';
import type { paths } from '#generated/v4.ts';
import { ok, until } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Runs a V4 run to its end and reads its events. Cancels another run. */
export const runs: Script = async (world) => {
  const api = world.connect<paths>();
  const body = {
    task: 'svc-test: succeed',
    model: 'gpt-5.6-luna',
    modelParams: { reasoning: { effort: 'low' } },
  } as const;
  const created = await ok(api.POST('/runs', { body }));
  const params = { path: { run_id: created.id } };
  await until(
    () => ok(api.GET('/runs/{run_id}/status', { params })),
    ({ status }) => status === 'completed',
  );
  const run = await ok(api.GET('/runs/{run_id}', { params }));
  expect(run).toMatchObject({ task: body.task, result: body.task, error: null, sessionId: created.sessionId });
  const query = { after: 0, limit: 100 };
  const { events, nextAfter } = await ok(api.GET('/runs/{run_id}/events', { params: { ...params, query } }));
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run.created', 'run.completed']);
  expect(nextAfter).toBe(events.at(-1)?.id);
  const listed = await ok(api.GET('/runs', { params: { query: { sessionId: created.sessionId } } }));
  expect(listed.runs).toEqual([run]);

  const slow = await ok(api.POST('/runs', { body: { task: 'svc-test: slow 60' } }));
  const cancelled = await ok(api.POST('/runs/{run_id}/cancel', { params: { path: { run_id: slow.id } } }));
  expect(cancelled.status).toBe('cancelled');
};
