import type { Client } from 'openapi-fetch';
import type { paths as V2 } from '../../../generated/v2.ts';
import type { paths as V3 } from '../../../generated/v3.ts';
import type { paths as V4 } from '../../../generated/v4.ts';
import { read } from './connect.ts';

type Body<Op> = Op extends { requestBody: { content: { 'application/json': infer Json } } } ? Json : never;
/** Request body that creates work. `svc check-client` passes members of one generation only. */
export type Create = Body<V2['/tasks']['post']> & Body<V3['/sessions']['post']> & Body<V4['/runs']['post']>;
/** Members of an ended task, session or run that the adapter prints. */
type Shown = { readonly id: string; readonly status: string; readonly output: unknown; readonly cost: unknown };
type At<Name extends string> = { params: { path: Record<Name, string> } };

/** Operations on the work of one generation: V2 tasks, V3 sessions or V4 runs. */
export interface Work {
  readonly start: (body: Create) => Promise<{ readonly id: string }>;
  readonly record: (id: string) => Promise<Shown>;
  readonly stop: (id: string) => Promise<{ readonly status: string }>;
  readonly ends: readonly string[];
}

export function tasks(client: Client<V2>): Work {
  const one = (id: string): At<'task_id'> => ({ params: { path: { task_id: id } } });
  return {
    start: (body) => read(client.POST('/tasks', { body })),
    async record(task) {
      const { id, status, output, cost } = await read(client.GET('/tasks/{task_id}', one(task)));
      return { id, status, output, cost };
    },
    stop: (id) => read(client.PATCH('/tasks/{task_id}', { ...one(id), body: { action: 'stop' } })),
    ends: ['finished', 'failed', 'stopped'],
  };
}

export function sessions(client: Client<V3>): Work {
  const one = (id: string): At<'session_id'> => ({ params: { path: { session_id: id } } });
  return {
    start: (body) => read(client.POST('/sessions', { body })),
    async record(session) {
      const { id, status, output, totalCostUsd } = await read(client.GET('/sessions/{session_id}', one(session)));
      return { id, status, output, cost: totalCostUsd };
    },
    stop: (id) => read(client.POST('/sessions/{session_id}/stop', one(id))),
    ends: ['idle', 'stopped', 'timed_out', 'error'],
  };
}

export function runs(client: Client<V4>): Work {
  const one = (id: string): At<'run_id'> => ({ params: { path: { run_id: id } } });
  return {
    start: (body) => read(client.POST('/runs', { body })),
    async record(run) {
      const { id, status, result, totalCostUsd } = await read(client.GET('/runs/{run_id}', one(run)));
      return { id, status, output: result, cost: totalCostUsd };
    },
    stop: (id) => read(client.POST('/runs/{run_id}/cancel', one(id))),
    ends: ['completed', 'failed', 'cancelled'],
  };
}
