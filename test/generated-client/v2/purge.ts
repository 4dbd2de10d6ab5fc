import { expect } from 'vitest';
import type { paths } from '#generated/v2.ts';
import { acrossGrant } from '../support/across-grant.ts';
import { gone, ok } from '../support/answers.ts';
import type { Script, World } from '../support/world.ts';

/** Purges a session with a task in a project with zero data retention. */
export const purge: Script = (world) =>
  acrossGrant(
    async (address) => ok(world.connect<paths>(address).POST('/tasks', { body: { task: 'svc-test: slow 60' } })),
    (address, { id, sessionId }) => erase(world, address, { task_id: id, session_id: sessionId }),
  );

async function erase(world: World, address: string, path: { task_id: string; session_id: string }): Promise<void> {
  const api = world.connect<paths>(address);
  const params = { path };
  await ok(api.GET('/tasks/{task_id}', { params }));
  await gone(api.POST('/sessions/{session_id}/purge', { params }));
  const { response } = await api.GET('/tasks/{task_id}', { params });
  const { response: session } = await api.GET('/sessions/{session_id}', { params });
  expect([response.status, session.status]).toEqual([404, 404]);
}
