/** Starts and stops one server, with a short history in each project. */
import type { FaultId } from '../faults/index.ts';
import type { Call } from './call.ts';
import { dialects, type DialectName } from './dialect.ts';
import { listen } from './edge.ts';
import { seedHistory } from './history.ts';
import { Faults, makeProject, type World } from './world.ts';

/** Keys of the two projects. */
export const keys = { first: 'svc_Stranger7kQ2mZ9xR4wT6yB1', second: 'svc_Neighbour3pL8vN5cJ0hD2sF' } as const;

/** A running independent server. */
export interface Running {
  readonly url: string;
  readonly world: World;
  readonly close: () => Promise<void>;
}

/** Starts an independent server with the given faults and dialect. */
export async function serveStranger(faults: Iterable<FaultId> = [], dialect: DialectName = 'plain'): Promise<Running> {
  const world: World = {
    faults: new Faults(faults),
    dialect: dialects[dialect],
    projects: [
      makeProject('6b1f7c52-5a40-4c1e-9d7e-0f4f6f3d9a01', keys.first, ['openai', 'google']),
      makeProject('f0d4c1aa-2d5e-4b7f-8c93-5f0e7b1c2d02', keys.second, []),
    ],
    url: '',
    clockOffsetMs: 0,
    sandboxFails: false,
    serial: 100,
    timers: new Set(),
  };
  const server = await listen(world);
  for (const project of world.projects) seedHistory({ world, project } satisfies Partial<Call>);
  return {
    url: world.url,
    world,
    close: async () => {
      for (const timer of world.timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
