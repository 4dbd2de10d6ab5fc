import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { at, both, rows, told } from '../operation-tampers.ts';
import { member } from '../tampers.ts';

/**
 * Values of `only` by the kind of record: the area `values`, and a requirement whose scenario creates such records. No
 * mutant of this file violates this requirement.
 */
const driven = {
  profiles: ['values', 'PROFILE-07'],
  workspaces: ['values', 'WORKSPACE-08'],
  tasks: ['values', 'V2-VIEW-21'],
  taskSessions: ['values', 'V2-SES-01'],
  runs: ['values', 'V4-VIEW-14'],
  messages: ['values', 'V4-QUEUE-11'],
} as const;

type Change = (record: JsonObject) => JsonObject;

/** Returns the search text of a list request; null without one. */
function readQuery(url: string): string | null {
  return new URL(url, 'http://localhost').searchParams.get('query');
}

/** Changes every record of a list. */
function listed(path: string, items: string, change: Change): Tamper {
  return rows(at('GET', path), items, (found) => found.map(change));
}

/** Calls `tamper` with a condition that holds in every `count`-th call, and returns its tamper. */
function everyNth(count: number, tamper: (change: (body: JsonObject) => boolean) => Tamper): Tamper {
  let seen = 0;
  return tamper(() => {
    seen += 1;
    return seen % count === 0;
  });
}

const set =
  (members: JsonObject): Change =>
  (record) => ({ ...record, ...members });

function earlier(value: unknown): string {
  const text = String(value);
  const zone = /(?:z|[+-]\d{2}:\d{2})$/i.test(text) ? '' : 'Z';
  return new Date(Date.parse(text + zone) - 60_000).toISOString();
}

/** Servers whose responses contradict each other about values that a request set or omitted. */
export const readBackMutants: readonly Mutant[] = [
  {
    id: 'value-profile-name-cut',
    breaks: 'The list of V3 profiles cuts names after 20 characters.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-READBACK',
    tamper: listed('/api/v3/profiles', 'items', (row) =>
      typeof row['name'] === 'string' ? { ...row, name: row['name'].slice(0, 20) } : row,
    ),
  },
  {
    id: 'value-profile-user-forgotten',
    breaks: 'A V4 profile loses its user after a rename.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-READBACK',
    tamper: told(at('PATCH', '/api/v4/profiles/*'), set({ userId: null })),
  },
  {
    id: 'value-workspace-name-listed',
    breaks: 'The list of V3 workspaces shows every name in upper case.',
    server: 'reference',
    only: driven.workspaces,
    target: 'VALUE-READBACK',
    tamper: listed('/api/v3/workspaces', 'items', (row) =>
      typeof row['name'] === 'string' ? { ...row, name: row['name'].toUpperCase() } : row,
    ),
  },
  {
    id: 'value-task-metadata-listed',
    breaks: 'The list of V2 tasks omits one metadata key of a task.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: listed('/api/v2/tasks', 'items', (row) =>
      isJsonObject(row['metadata'])
        ? { ...row, metadata: Object.fromEntries(Object.entries(row['metadata']).slice(1)) }
        : row,
    ),
  },
  {
    id: 'value-ceiling-rounded',
    breaks: 'A fetched V3 session shows its cost limit rounded to whole dollars.',
    server: 'reference',
    only: ['values', 'V3-CREATE-12'],
    target: 'VALUE-READBACK',
    tamper: told(at('GET', '/api/v3/sessions/*'), (record) =>
      typeof record['maxCostUsd'] === 'string'
        ? { ...record, maxCostUsd: String(Math.ceil(Number(record['maxCostUsd']))) }
        : record,
    ),
  },
  {
    id: 'value-screen-swapped',
    breaks: 'A V3 session with a custom screen shows width and height swapped.',
    server: 'reference',
    only: ['values', 'V3-VIEW-07'],
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: told(at('GET', '/api/v3/sessions/*'), (record) => ({
      ...record,
      browserScreenWidth: record['browserScreenHeight'] ?? null,
      browserScreenHeight: record['browserScreenWidth'] ?? null,
    })),
  },
  {
    id: 'value-country-other',
    breaks: 'The creation response of a V3 session shows another proxy country than requested.',
    server: 'reference',
    only: ['values', 'V3-CREATE-16'],
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT', 'VALUE-DEFAULTS'],
    tamper: told(at('POST', '/api/v3/sessions'), (record) => ({ ...record, proxyCountryCode: 'is' })),
  },
  {
    id: 'value-run-goal-trimmed',
    breaks: 'The list of V4 runs shows only the first word of a task.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: listed('/api/v4/runs', 'runs', (row) => ({ ...row, task: String(row['task']).split(' ')[0] ?? '' })),
  },
  {
    id: 'value-message-text',
    breaks: 'A V4 message shows another text after it leaves the queue.',
    server: 'reference',
    only: driven.messages,
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: told(at('GET', '/api/v4/sessions/*/queue/*'), (record) =>
      record['status'] === 'consumed' ? { ...record, text: `> ${String(record['text'])}` } : record,
    ),
  },
  {
    id: 'value-title-blank',
    breaks: 'A V4 session shows its title with a trailing space.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-READBACK',
    tamper: told(at('PATCH', '/api/v4/sessions/*'), (record) =>
      typeof record['title'] === 'string' ? { ...record, title: `${record['title']} ` } : record,
    ),
  },
  {
    id: 'value-default-keep-alive',
    breaks: 'A V2 session whose request omits keepAlive shows keepAlive false after a task.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-DEFAULTS',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: told(at('GET', '/api/v2/sessions/*'), (record) =>
      Array.isArray(record['tasks']) && record['tasks'].length > 0 ? { ...record, keepAlive: false } : record,
    ),
  },
  {
    id: 'value-default-model-ended',
    breaks: 'An ended V3 session without a model in its request shows another model.',
    server: 'reference',
    only: ['values', 'LIFE-16'],
    target: 'VALUE-DEFAULTS',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: told(at('GET', '/api/v3/sessions/*'), (record) =>
      record['status'] === 'stopped' && record['model'] === 'claude-opus-4.7'
        ? { ...record, model: 'claude-opus-4.8' }
        : record,
    ),
  },
  {
    id: 'value-default-user-empty',
    breaks: 'The list of V2 profiles shows an empty user for a profile without a user.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-DEFAULTS',
    tamper: listed('/api/v2/profiles', 'items', (row) => ({ ...row, userId: row['userId'] ?? '' })),
  },
];

/** Servers whose records change over time in a forbidden way. */
export const timeMutants: readonly Mutant[] = [
  {
    id: 'value-run-created-listed',
    breaks: 'The list of V4 runs shows updatedAt as createdAt.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-CONSTANT',
    tamper: listed('/api/v4/runs', 'runs', (row) => ({ ...row, createdAt: row['updatedAt'] ?? '' })),
  },
  {
    id: 'value-task-session-listed',
    breaks: 'A V2 session shows its tasks under the id of another session.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-CONSTANT',
    mayAlso: ['VALUE-READBACK'],
    tamper: told(at('GET', '/api/v2/sessions/*'), (record) => ({
      ...record,
      tasks: Array.isArray(record['tasks'])
        ? record['tasks'].filter(isJsonObject).map(set({ sessionId: '00000000-0000-4000-8000-000000000000' }))
        : [],
    })),
  },
  {
    id: 'value-message-role',
    breaks: 'Messages of a V3 session have another role in pages with before.',
    server: 'reference',
    only: ['values', 'V3-MSG-04'],
    target: 'VALUE-CONSTANT',
    tamper: rows(
      at('GET', '/api/v3/sessions/*/messages', ({ url }) => url.includes('before=')),
      'messages',
      (found) => found.map(set({ role: 'assistant' })),
    ),
  },
  {
    id: 'value-task-finished-moves',
    breaks: 'finishedAt of a V2 task is the time of the request in its status view.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-SETTLED',
    mayAlso: ['VALUE-ORDER'],
    tamper: (world) =>
      told(at('GET', '/api/v2/tasks/*/status'), (record) =>
        record['finishedAt'] === null ? record : { ...record, finishedAt: new Date(world.now() + 5).toISOString() },
      ),
  },
  {
    id: 'value-run-workspace-lost',
    breaks: 'A V4 run loses its workspace when it is cancelled.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-SETTLED',
    tamper: told(at('GET', '/api/v4/runs/*'), (record) =>
      record['status'] === 'cancelled' ? { ...record, workspaceId: null } : record,
    ),
  },
  {
    id: 'value-inbox-shared',
    breaks: 'All V3 sessions share one mailbox.',
    server: 'reference',
    only: ['values', 'V3-VIEW-07', 'V3-HISTORY-12', 'V3-CREATE-12'],
    target: 'V3-HISTORY-12',
    tamper: member('inboxEmail', ({ inboxEmail }) => (typeof inboxEmail === 'string' ? 'all@inbox.localhost' : null)),
  },
  {
    id: 'value-steps-fall',
    breaks: 'The response to the stop of a V3 session counts one step less.',
    server: 'reference',
    only: ['values', 'LIFE-05'],
    target: 'VALUE-GROWING',
    tamper: told(at('POST', '/api/v3/sessions/*/stop'), (record) => ({
      ...record,
      stepCount: Number(record['stepCount']) - 1,
    })),
  },
  {
    id: 'value-tokens-reset',
    breaks: 'Every twelfth fetch of a V3 session counts no tokens.',
    server: 'reference',
    only: ['values', 'LIFE-06', 'V3-VIEW-07'],
    target: 'VALUE-GROWING',
    tamper: () =>
      everyNth(12, (takes) =>
        told(at('GET', '/api/v3/sessions/*'), (record) =>
          takes(record) ? { ...record, totalInputTokens: 0 } : record,
        ),
      ),
  },
  {
    id: 'value-steps-dropped',
    breaks: 'A stopped V2 task shows only its last step.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-GROWING',
    mayAlso: ['VALUE-FINAL', 'V2-VIEW-07'],
    tamper: told(at('PATCH', '/api/v2/tasks/*'), (record) => ({
      ...record,
      steps: Array.isArray(record['steps']) ? record['steps'].slice(-1) : [],
    })),
  },
  {
    id: 'value-changed-back',
    breaks: 'The list of V3 profiles shows createdAt as updatedAt.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-ORDER',
    mayAlso: ['VALUE-GROWING'],
    tamper: listed('/api/v3/profiles', 'items', (row) => ({ ...row, updatedAt: earlier(row['createdAt']) })),
  },
  {
    id: 'value-run-cost-falls',
    breaks: 'A V4 run that is cancelled again shows no cost.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-GROWING',
    mayAlso: ['V4-VIEW-05'],
    tamper: told(at('POST', '/api/v4/runs/*/cancel'), (record) => ({ ...record, totalCostUsd: '0' })),
  },
];

/** Servers that show or handle ended or deleted resources wrongly. */
export const endMutants: readonly Mutant[] = [
  {
    id: 'value-end-listed-alive',
    breaks: 'The list of V4 runs shows cancelled runs as running.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-ENDS',
    tamper: listed('/api/v4/runs', 'runs', (row) =>
      row['status'] === 'cancelled' ? { ...row, status: 'running' } : row,
    ),
  },
  {
    id: 'value-end-task-again',
    breaks: 'A V2 session shows its finished tasks as started.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-ENDS',
    tamper: told(at('GET', '/api/v2/sessions/*'), (record) => ({
      ...record,
      tasks: Array.isArray(record['tasks'])
        ? record['tasks']
            .filter(isJsonObject)
            .map((task) => (task['status'] === 'finished' ? { ...task, status: 'started' } : task))
        : [],
    })),
  },
  {
    id: 'value-end-other-word',
    breaks: 'The list of V3 sessions shows a stopped session as timed_out.',
    server: 'reference',
    only: ['values', 'V3-VIEW-07', 'V3-VIEW-02', 'LIFE-05'],
    target: 'VALUE-ENDS',
    tamper: listed('/api/v3/sessions', 'sessions', (row) =>
      row['status'] === 'stopped' ? { ...row, status: 'timed_out' } : row,
    ),
  },
  {
    id: 'value-final-result-lost',
    breaks: 'The list of V4 runs omits results.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-FINAL',
    tamper: listed('/api/v4/runs', 'runs', (row) => ({ ...row, result: null })),
  },
  {
    id: 'value-final-verdict-turns',
    breaks: 'The list of V2 tasks shows a successful task as failed.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-FINAL',
    tamper: listed('/api/v2/tasks', 'items', (row) => (row['isSuccess'] === true ? { ...row, isSuccess: false } : row)),
  },
  {
    id: 'value-stop-again-500',
    breaks: 'The cancellation of a completed V4 run answers 500.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-STOPS',
    mayAlso: ['V4-VIEW-05'],
    tamper: {
      answer: (seen, { body }) =>
        seen.url.endsWith('/cancel') && isJsonObject(body) && body['status'] === 'completed'
          ? { status: 500, body: { detail: 'Already over' } }
          : undefined,
    },
  },
  {
    id: 'value-stop-session-again-500',
    breaks: 'The second stop of a V2 session answers 500.',
    server: 'reference',
    only: driven.taskSessions,
    target: 'VALUE-STOPS',
    tamper: () => {
      const stopped = new Set<string>();
      return {
        answer: ({ method, url }, { status }) => {
          if (method !== 'PATCH' || !url.startsWith('/api/v2/sessions/') || status !== 200) return undefined;
          if (stopped.has(url)) return { status: 500, body: { detail: 'Not running' } };
          stopped.add(url);
          return undefined;
        },
      };
    },
  },
  {
    id: 'value-stop-turns-end',
    breaks: 'A second stop changes the status of a V2 task from stopped to finished.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-ENDS',
    tamper: () => {
      const stopped = new Set<string>();
      return told(
        at('PATCH', '/api/v2/tasks/*', ({ body }) => isJsonObject(body) && body['action'] === 'stop'),
        (record) => {
          const id = String(record['id']);
          const again = stopped.has(id);
          stopped.add(id);
          return again ? { ...record, status: 'finished' } : record;
        },
      );
    },
  },
  {
    id: 'value-gone-profile-listed',
    breaks: 'The list of V4 profiles still contains a deleted profile.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-GONE',
    mayAlso: ['VALUE-LISTS', 'VALUE-ENDS', 'VALUE-GROWING', 'VALUE-READBACK'],
    tamper: () => {
      let kept: JsonObject | undefined;
      return both(
        told(at('POST', '/api/v4/profiles'), (record) => {
          kept ??= typeof record['userId'] === 'string' && !String(record['name']).startsWith('x') ? record : undefined;
          return record;
        }),
        rows(
          at('GET', '/api/v4/profiles', ({ url }) => readQuery(url) === kept?.['userId']),
          'items',
          (found) => (kept === undefined || found.length > 0 ? found : [kept]),
        ),
      );
    },
  },
  {
    id: 'value-gone-workspace-fetched',
    breaks: 'A deleted V3 workspace can still be fetched.',
    server: 'reference',
    only: driven.workspaces,
    target: 'VALUE-GONE',
    mayAlso: ['VALUE-READBACK', 'VALUE-GROWING'],
    tamper: () => {
      const known = new Map<string, JsonObject>();
      return {
        answer: (seen, { status, body }) => {
          if (seen.method !== 'GET' || !/^\/api\/v3\/workspaces\/[0-9a-f-]{36}$/.test(seen.url)) return undefined;
          if (status === 200 && isJsonObject(body)) known.set(seen.url, body);
          const found = known.get(seen.url);
          return status === 404 && found !== undefined ? { status: 200, body: found } : undefined;
        },
      };
    },
  },
  {
    id: 'value-id-twice',
    breaks: 'The creation of a V4 workspace with a long name answers with the id of the first workspace.',
    server: 'reference',
    only: driven.workspaces,
    target: 'VALUE-UNIQUE',
    mayAlso: ['VALUE-READBACK', 'VALUE-CONSTANT', 'VALUE-GROWING', 'VALUE-DEFAULTS', 'VALUE-GONE', 'WORKSPACE-08'],
    tamper: () => {
      let first: unknown;
      return told(at('POST', '/api/v4/workspaces'), (record) => {
        first ??= record['id'];
        return String(record['name']).startsWith('x') ? { ...record, id: String(first) } : record;
      });
    },
  },
  {
    id: 'value-page-size-fixed',
    breaks: 'Pages of V2 tasks always state the page size 10.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-LISTS',
    tamper: told(at('GET', '/api/v2/tasks'), set({ pageSize: 10 })),
  },
  {
    id: 'value-event-twice',
    breaks: 'A full page of V4 events contains its last event twice.',
    server: 'reference',
    only: ['values', 'V4-VIEW-14'],
    target: 'VALUE-LISTS',
    tamper: rows(
      at('GET', '/api/v4/runs/*/events', ({ url }) => url.includes('limit=')),
      'events',
      (found) => found.flatMap((row, index) => (index === found.length - 1 ? [row, row] : [row])),
    ),
  },
  {
    id: 'value-cursor-missing',
    breaks: 'From the second page on, the list of V4 runs has more rows but no cursor.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-LISTS',
    tamper: told(
      at('GET', '/api/v4/runs', ({ url }) => url.includes('cursor=')),
      set({ hasMore: true, nextCursor: null }),
    ),
  },
  {
    id: 'value-total-short',
    breaks: 'The total of the V2 tasks of a session is one too low.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-LISTS',
    tamper: told(at('GET', '/api/v2/tasks'), (page) => ({ ...page, totalItems: Number(page['totalItems']) - 1 })),
  },
];
