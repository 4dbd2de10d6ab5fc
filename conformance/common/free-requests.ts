import type { RequestSpec } from '../core/request.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Generation, Target } from '../core/target.ts';

/** One request per generation that creates nothing and costs nothing. A service answers it with 2xx or 4xx. */
export const freeRequests: Record<Generation, RequestSpec> = {
  v2: { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body: { task: [] }, invalid: true },
  v3: { generation: 'v3', operation: 'getSession', method: 'GET', path: '/sessions/not-a-uuid', invalid: true },
  v4: { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body: {}, invalid: true },
};

/**
 * Returns the first request that a smoke run sends to a generation. For V3 this is the GET list of the target file, if
 * any, because its response shows whether the key is accepted. Otherwise returns the request of {@link freeRequest}; it
 * is undefined in a read-only run if the target file names no GET list.
 */
export function smokeRequest(
  context: Pick<ScenarioContext, 'target' | 'readOnly'>,
  generation: Generation,
): RequestSpec | undefined {
  // The contract shows the creation path of V2 and V4, so this path is known to be right.
  const list = generation === 'v3' ? listRequest(context.target, generation) : undefined;
  return list ?? freeRequest(context, generation);
}

/**
 * Returns a request that costs nothing for a generation. In a read-only run, returns a list request instead of a POST
 * request; undefined if the target file names no list that uses GET.
 */
export function freeRequest(
  { target, readOnly }: Pick<ScenarioContext, 'target' | 'readOnly'>,
  generation: Generation,
): RequestSpec | undefined {
  const free = freeRequests[generation];
  return !readOnly || free.method === 'GET' ? free : listRequest(target, generation);
}

/**
 * Returns the request for the list that the target file names for a generation; undefined if it names none that uses
 * GET.
 */
export function listRequest(target: Target, generation: Generation): RequestSpec | undefined {
  const list = generation === 'v4' ? target.v4?.listRuns : target[generation]?.list;
  if (list === undefined || list === null || list.method.toUpperCase() !== 'GET') return undefined;
  return { generation, operation: 'list', method: list.method, path: list.path };
}
