import { otherKey, testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen } from '../mutant.ts';
import { leaks } from '../tampers.ts';

const uuid = '[0-9a-f-]{36}';

/**
 * Operations that a broken server allows another project. Each row has an id, a description, method, path, the
 * requirement that must fail, and requirements that may fail.
 */
const holes: readonly (readonly [string, string, string, string, Mutant['target'], Mutant['mayAlso']])[] = [
  ['session-read', 'fetches a session', 'GET', `/api/v3/sessions/${uuid}`, 'TENANCY-01', []],
  ['session-stop', 'stops a session', 'POST', `/api/v3/sessions/${uuid}/stop`, 'TENANCY-02', ['TENANCY-05']],
  ['session-delete', 'deletes a session', 'DELETE', `/api/v3/sessions/${uuid}`, 'TENANCY-02', ['TENANCY-05']],
  ['session-follow-up', 'sends a session a follow-up', 'POST', '/api/v3/sessions', 'TENANCY-03', ['TENANCY-05']],
  ['session-list', 'lists sessions', 'GET', '/api/v3/sessions', 'TENANCY-04', []],
  ['task-read', 'fetches a task', 'GET', `/api/v2/tasks/${uuid}`, 'TENANCY-06', []],
  ['task-status', 'fetches the status of a task', 'GET', `/api/v2/tasks/${uuid}/status`, 'TENANCY-06', []],
  ['task-stop', 'stops a task', 'PATCH', `/api/v2/tasks/${uuid}`, 'TENANCY-07', ['TENANCY-09']],
  ['task-list', 'lists tasks', 'GET', '/api/v2/tasks', 'TENANCY-08', []],
  ['run-read', 'fetches a run', 'GET', `/api/v4/runs/${uuid}`, 'TENANCY-10', []],
  ['run-status', 'fetches the status of a run', 'GET', `/api/v4/runs/${uuid}/status`, 'TENANCY-10', []],
  ['run-events', 'reads the events of a run', 'GET', `/api/v4/runs/${uuid}/events`, 'TENANCY-11', []],
  ['run-cancel', 'cancels a run', 'POST', `/api/v4/runs/${uuid}/cancel`, 'TENANCY-12', ['TENANCY-14']],
  ['run-list', 'lists runs', 'GET', '/api/v4/runs', 'TENANCY-13', []],
];

/** Servers on which one project can access resources of another. */
export const tenancyMutants: readonly Mutant[] = [
  ...holes.map(
    ([name, does, method, path, target, mayAlso = []]): Mutant => ({
      id: `tenancy-${name}`,
      breaks: `Another project ${does} of our project.`,
      server: 'reference',
      target,
      mayAlso,
      only: ['tenancy'],
      tamper: leaks(
        testKey,
        otherKey,
        (seen: Seen) => seen.method === method && new RegExp(`^${path}(\\?|$)`).test(seen.url),
      ),
    }),
  ),
  ...(['v2', 'v3', 'v4'] as const).map(
    (version): Mutant => ({
      id: `tenancy-${version}-silent-stop`,
      breaks: `${version.toUpperCase()}: another project ends a resource of our project and receives 404.`,
      server: 'reference',
      target: { v2: 'TENANCY-09', v3: 'TENANCY-05', v4: 'TENANCY-14' }[version] as Mutant['target'],
      mayAlso: [],
      only: ['tenancy'],
      tamper: {
        ...leaks(testKey, otherKey, (seen) => isEnd(seen, version)),
        answer: (seen) =>
          isEnd(seen, version) && seen.headers['x-service-api-key'] === otherKey
            ? { status: 404, body: { detail: 'Not Found' } }
            : undefined,
      },
    }),
  ),
];

function isEnd({ method, url }: Seen, version: 'v2' | 'v3' | 'v4'): boolean {
  const paths = { v2: `PATCH /api/v2/tasks/`, v3: `POST /api/v3/sessions/`, v4: `POST /api/v4/runs/` };
  return `${method} ${url}`.startsWith(paths[version]);
}
