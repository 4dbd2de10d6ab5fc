import { isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';

/** Answers selected successful requests with a failure. */
function fails(when: (seen: Seen) => boolean, status: number): Tamper {
  const failure = { status, body: { detail: 'Something went wrong' } };
  return { answer: (seen, given) => (given.status < 300 && when(seen) ? failure : undefined) };
}

const isFetch = ({ method, url }: Seen): boolean =>
  method === 'GET' && /^\/api\/v3\/sessions\/[0-9a-f-]{36}$/.test(url);

const isRunFetch = ({ method, url }: Seen): boolean => method === 'GET' && /^\/api\/v4\/runs\/[0-9a-f-]{36}$/.test(url);

const isTaskFetch = ({ method, url }: Seen): boolean =>
  method === 'GET' && /^\/api\/v2\/tasks\/[0-9a-f-]{36}$/.test(url);

const isCreation = ({ method, url }: Seen, path: string): boolean => method === 'POST' && url === path;

/** Returns a condition that holds for every third request that meets the given condition. */
function everyThird(when: (seen: Seen) => boolean): (seen: Seen) => boolean {
  let count = 0;
  return (seen) => when(seen) && (count += 1) % 3 === 0;
}

function hasMember(body: unknown, name: string, value?: unknown): boolean {
  return isJsonObject(body) && name in body && (value === undefined || body[name] === value);
}

function readId(body: unknown): string | undefined {
  return isJsonObject(body) && typeof body['id'] === 'string' ? body['id'] : undefined;
}

/** Answers each creation whose member `name` is a UUID with the status `status`. The service creates nothing. */
function failsWith(path: string, name: string, status: number): Tamper {
  const isMeant = (seen: Seen): boolean =>
    isCreation(seen, path) && isJsonObject(seen.body) && /^[0-9a-f-]{36}$/.test(String(seen.body[name]));
  return {
    request: (seen) => (isMeant(seen) ? { body: { model: 'none' } } : undefined),
    answer: (seen) => (isMeant(seen) ? { status, body: { detail: 'Something went wrong' } } : undefined),
  };
}

/** Answers the accepted creations at a path with another body. */
function createdAs(path: string, body: unknown): Tamper {
  return { answer: (seen, given) => (given.status < 300 && isCreation(seen, path) ? { body } : undefined) };
}

/** Servers with one documented operation that fails always or intermittently. */
export const failureMutants: readonly Mutant[] = [
  {
    id: 'v3-create-500',
    breaks: 'Every creation of a V3 session answers 500.',
    server: 'reference',
    target: 'V3-CREATE-01',
    mayAlso: [
      'V3-CREATE-02',
      'V3-CREATE-03',
      'V3-CREATE-05',
      'V3-CREATE-09',
      'V3-THINK-23',
      'V3-THINK-24',
      'V3-THINK-ACCEPTS',
      'VER-09',
    ],
    tamper: fails(({ method, url }) => method === 'POST' && url === '/api/v3/sessions', 500),
  },
  {
    id: 'v2-create-502',
    breaks: 'Every creation of a V2 task answers 502.',
    server: 'reference',
    target: 'V2-TASK-01',
    tamper: fails(({ method, url }) => method === 'POST' && url === '/api/v2/tasks', 502),
  },
  {
    id: 'v4-create-504',
    breaks: 'Every creation of a V4 run answers 504.',
    server: 'reference',
    target: 'V4-RUN-01',
    tamper: fails(({ method, url }) => method === 'POST' && url === '/api/v4/runs', 504),
  },
  {
    id: 'browser-create-500',
    breaks: 'Every creation of a V4 browser answers 500.',
    server: 'scripted',
    target: 'V4-BROWSER-08',
    mayAlso: ['V4-BROWSER-09', 'V4-BROWSER-12', 'V4-BROWSER-23'],
    tamper: fails(({ method, url }) => method === 'POST' && url === '/api/v4/browsers', 500),
  },
  {
    id: 'v3-get-500',
    breaks: 'Every GET of a V3 session answers 500.',
    server: 'reference',
    target: 'V3-GET-01',
    tamper: fails(isFetch, 500),
  },
  {
    id: 'v3-get-404',
    breaks: 'Every GET of a V3 session answers 404.',
    server: 'reference',
    target: 'V3-GET-01',
    tamper: fails(isFetch, 404),
  },
  {
    id: 'v3-stop-500',
    breaks: 'Every stop of a V3 session answers 500.',
    server: 'reference',
    target: 'V3-STOP-01',
    tamper: fails(({ method, url }) => method === 'POST' && url.endsWith('/stop'), 500),
  },
  {
    id: 'v3-create-empty',
    breaks: 'Every creation of a V3 session answers with an empty object.',
    server: 'reference',
    only: ['V3-CREATE-01'],
    target: 'V3-CREATE-01',
    tamper: createdAs('/api/v3/sessions', {}),
  },
  {
    id: 'v2-create-empty-list',
    breaks: 'Every creation of a V2 task answers with an empty list.',
    server: 'reference',
    only: ['V2-TASK-01'],
    target: 'V2-TASK-01',
    tamper: createdAs('/api/v2/tasks', []),
  },
  {
    id: 'v3-get-500-at-times',
    breaks: 'Every third GET of a V3 session answers 500.',
    server: 'reference',
    only: ['v3'],
    target: 'V3-GET-01',
    mayAlso: [
      'IDENTITY-03',
      'LIFE-13',
      'STATE-SESSIONS',
      'STATE-SESSIONS-BEYOND',
      'EFFECT-03',
      'TENANCY-05',
      'KEYS-34',
    ],
    tamper: () => fails(everyThird(isFetch), 500),
  },
  {
    id: 'v4-get-500',
    breaks: 'Every GET of a V4 run answers 500.',
    server: 'reference',
    only: ['identity', 'v4-runs'],
    target: 'IDENTITY-03',
    tamper: fails(isRunFetch, 500),
  },
  {
    id: 'v4-get-403',
    breaks: 'Every GET of a V4 run is refused with 403.',
    server: 'reference',
    only: ['identity', 'v4-runs'],
    target: 'IDENTITY-03',
    tamper: fails(isRunFetch, 403),
  },
  {
    id: 'v2-get-500',
    breaks: 'Every GET of a V2 task answers 500.',
    server: 'reference',
    only: ['identity', 'v2-tasks'],
    target: 'IDENTITY-03',
    tamper: fails(isTaskFetch, 500),
  },
  {
    id: 'v4-events-422',
    breaks: 'Every read of the events of a V4 run is refused with 422.',
    server: 'reference',
    only: ['EVT-01'],
    target: 'EVT-01',
    tamper: fails(({ url }) => /^\/api\/v4\/runs\/[^/]+\/events/.test(url), 422),
  },
  {
    id: 'v4-events-empty',
    breaks: 'Every read of the events of a V4 run answers with an empty object.',
    server: 'reference',
    only: ['EVT-01'],
    target: 'EVT-01',
    tamper: {
      answer: ({ url }, { status }) =>
        status < 300 && /^\/api\/v4\/runs\/[^/]+\/events/.test(url) ? { body: {} } : undefined,
    },
  },
  {
    id: 'v3-workspace-500',
    breaks: 'Each creation of a V3 session with a workspace answers 500.',
    server: 'reference',
    only: ['V3-CREATE-01', 'V3-SESSION-22'],
    target: 'V3-CREATE-01',
    tamper: failsWith('/api/v3/sessions', 'workspaceId', 500),
  },
  {
    id: 'v3-recorded-500',
    breaks: 'Each fetch of a V3 session with a recording answers 500.',
    server: 'reference',
    only: ['IDENTITY-03', 'V3-CREATE-11'],
    target: 'IDENTITY-03',
    tamper: () => {
      const recorded = new Set<string>();
      const isRecorded = ({ method, url }: Seen): boolean =>
        method === 'GET' && recorded.has(url.split('/').at(-1) ?? '');
      return {
        answer(seen, given) {
          const id = readId(given.body);
          if (isCreation(seen, '/api/v3/sessions') && hasMember(seen.body, 'enableRecording') && id !== undefined)
            recorded.add(id);
          return fails(isRecorded, 500).answer?.(seen, given);
        },
      };
    },
  },
  {
    id: 'v3-stop-500-while-running',
    breaks: 'The stop of a V3 session with a running task succeeds but answers 500.',
    server: 'reference',
    only: ['V3-STOP-01'],
    target: 'V3-STOP-01',
    tamper: () => {
      const running = new Set<string>();
      const isStop = ({ method, url }: Seen): boolean =>
        method === 'POST' && url.endsWith('/stop') && running.has(url.split('/').at(-2) ?? '');
      return {
        answer(seen, given) {
          const id = readId(given.body);
          if (isFetch(seen) && id !== undefined)
            running[hasMember(given.body, 'status', 'running') ? 'add' : 'delete'](id);
          return fails(isStop, 500).answer?.(seen, given);
        },
      };
    },
  },
  {
    id: 'v4-run-fetched-as-null',
    breaks: 'Each fetch of a V4 run answers null.',
    server: 'reference',
    only: ['IDENTITY-01', 'V4-RUN-26'],
    target: 'IDENTITY-01',
    mayAlso: ['V4-RUN-26'],
    tamper: { answer: (seen, { status }) => (status === 200 && isRunFetch(seen) ? { body: null } : undefined) },
  },
  {
    id: 'v3-one-shot-forgotten',
    breaks: 'A V3 session that ends after its task is refused with 403 after the first GET that shows its end.',
    server: 'reference',
    only: ['IDENTITY-03', 'V3-CREATE-08', 'V3-FOLLOW-01'],
    target: 'IDENTITY-03',
    tamper: () => {
      const ends = new Map<string, number>();
      return {
        answer(seen, { status, body }) {
          const id = readId(body);
          const isEnded = id !== undefined && hasMember(body, 'status', 'stopped') && hasMember(body, 'stepCount');
          if (!isFetch(seen) || status !== 200 || !isEnded || hasMember(body, 'stepCount', 0)) return undefined;
          ends.set(id, (ends.get(id) ?? 0) + 1);
          return (ends.get(id) ?? 0) > 1 ? { status: 403, body: { detail: 'Forbidden' } } : undefined;
        },
      };
    },
  },
  {
    id: 'v4-ended-run-500',
    breaks: 'The record of a V4 run that has failed or was cancelled answers 500.',
    server: 'reference',
    only: ['identity', 'v4-runs'],
    target: 'IDENTITY-03',
    mayAlso: ['V4-RUN-26'],
    tamper: {
      answer: (seen, { status, body }) =>
        status === 200 && isRunFetch(seen) && ['failed', 'cancelled'].some((word) => hasMember(body, 'status', word))
          ? { status: 500, body: { detail: 'Something went wrong' } }
          : undefined,
    },
  },
];
