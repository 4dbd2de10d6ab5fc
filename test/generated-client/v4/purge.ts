import { expect } from 'vitest';
import type { paths } from '#generated/v4.ts';
import { acrossGrant } from '../support/across-grant.ts';
import { gone, ok } from '../support/answers.ts';
import type { Script, World } from '../support/world.ts';

/** Purges a session with a run in a project with zero data retention. */
export const purge: Script = (world) =>
  acrossGrant(
    async (address) => ok(world.connect<paths>(address).POST('/runs', { body: { task: 'svc-test: slow 60' } })),
    (address, { sessionId }) => erase(world, address, { session_id: sessionId }),
  );

async function erase(world: World, address: string, path: { session_id: string }): Promise<void> {
  const purged = (): Promise<{ error?: unknown; response: Response }> =>
    world.connect<paths>(address).POST('/sessions/{session_id}/purge', { params: { path } });
  await gone(purged());
  expect((await purged()).response.status).toBe(404);
}
