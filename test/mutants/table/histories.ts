import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { at, readBody, both, told, turns } from '../operation-tampers.ts';
import { fetched } from '../tampers.ts';

/** Areas of laws. `only` also has requirements whose scenarios create the records that these laws compare. */
const laws = ['session-history', 'identity'] as const;
const only = [...laws, 'LIFE-16', 'V3-FOLLOW-01'];

/** Shows in each fetch of a session the value of one member in the first fetch. */
function frozen(name: string): () => Tamper {
  return () => {
    const first = new Map<unknown, JsonObject[string]>();
    return fetched((record) => {
      const { id } = record;
      if (!first.has(id)) first.set(id, record[name] ?? null);
      return { ...record, [name]: first.get(id) ?? null };
    });
  };
}

/** Changes members of those fetched records that meet a condition. */
function when(fits: (record: JsonObject) => boolean, members: (record: JsonObject) => JsonObject): Tamper {
  return fetched((record) => (fits(record) ? { ...record, ...members(record) } : record));
}

type Members = [string, JsonObject[string]][];

/** Returns a copy of a value in which `change` has changed the list of members of every object, at any depth. */
function changedCopy(value: JsonObject[string], change: (members: Members) => Members): JsonObject[string] {
  if (Array.isArray(value)) return value.map((one) => changedCopy(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(change(Object.entries(value)).map(([name, inner]) => [name, changedCopy(inner, change)]));
}

/**
 * Faulty copies of an output schema: for each, an id, a description, and the change that is made to the members of
 * every object in the schema.
 */
const schemaCopies: readonly (readonly [string, string, (members: Members) => Members])[] = [
  ['no-defs', 'without its $defs', (members) => members.filter(([name]) => name !== '$defs')],
  ['no-nulls', 'without the members that are null', (members) => members.filter(([, inner]) => inner !== null)],
  [
    'ascii',
    'with ASCII letters alone',
    (members) => members.map(([name, inner]) => [name.replaceAll(/[^ -~]/g, '?'), inner]),
  ],
];

function shifted(time: JsonObject[string] | undefined, byMs: number): string {
  return new Date(Date.parse(String(time)) + byMs).toISOString();
}

/**
 * Answers each fetch of a resource with the first resource of the same kind that was created. Does not change fetches
 * of an id that contains `ffff`, which the suite uses as an unknown id.
 */
function alwaysFirst(version: string, things: string): () => Tamper {
  return () => {
    let first: string | undefined;
    const path = `/api/${version}/${things}`;
    return {
      request: ({ method, url }) => {
        const isFetch = method === 'GET' && url.startsWith(`${path}/`) && !url.slice(path.length + 1).includes('/');
        return isFetch && first !== undefined && !url.includes('ffff') ? { url: `${path}/${first}` } : undefined;
      },
      answer: ({ method, url }, { status, body }) => {
        if (method === 'POST' && url === path && status < 300 && isJsonObject(body)) first ??= String(body['id']);
        return undefined;
      },
    };
  };
}

/**
 * Waits until a follow-up to a session gets 422. From then on, replaces the given members in every fetched record of
 * this session.
 */
function afterRefusal(members: JsonObject): () => Tamper {
  return () => {
    const refused = new Set<unknown>();
    return both(
      {
        answer: (seen, { status }) => {
          const { sessionId } = readBody(seen);
          if (seen.method === 'POST' && status === 422 && sessionId !== undefined) refused.add(sessionId);
          return undefined;
        },
      },
      when(
        ({ id }) => refused.has(id),
        () => members,
      ),
    );
  };
}

/** Servers whose session records contradict each other or the requests. */
export const historyMutants: readonly Mutant[] = [
  {
    id: 'history-created-now',
    breaks: 'createdAt of a fetched session is the time of its last change.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-01',
    tamper: fetched((record) => ({ ...record, createdAt: record['updatedAt'] ?? null })),
  },
  {
    id: 'history-updated-early',
    breaks: 'updatedAt of a fetched session is a minute before its creation.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-02',
    mayAlso: ['V3-HISTORY-03'],
    tamper: fetched((record) => ({ ...record, updatedAt: shifted(record['createdAt'], -60_000) })),
  },
  {
    id: 'history-updated-frozen',
    breaks: 'updatedAt of a session never changes.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-03',
    tamper: frozen('updatedAt'),
  },
  {
    id: 'history-updated-by-fetches',
    breaks: 'Every fetch of a session advances its updatedAt.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-03',
    tamper: () => {
      let fetches = 0;
      return fetched((record) => ({ ...record, updatedAt: shifted(record['updatedAt'], (fetches += 1)) }));
    },
  },
  {
    id: 'history-tokens-begin-again',
    breaks: 'A session with keepAlive loses its count of input tokens when its task ends.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-04',
    tamper: when(
      ({ status }) => status === 'idle',
      () => ({ totalInputTokens: 0 }),
    ),
  },
  {
    id: 'history-model-other',
    breaks: 'A session on gemini-3.1-pro shows gemini-3-pro.',
    server: 'reference',
    only: [...laws, 'V3-ALIASES'],
    target: 'V3-HISTORY-05',
    mayAlso: ['V3-HISTORY-08'],
    tamper: when(
      ({ model }) => model === 'gemini-3.1-pro',
      () => ({ model: 'gemini-3-pro' }),
    ),
  },
  {
    id: 'history-ceiling-doubled',
    breaks: 'A fetched session shows twice the cost limit of its creation.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-06',
    tamper: when(
      ({ maxCostUsd }) => typeof maxCostUsd === 'string',
      ({ maxCostUsd }) => ({ maxCostUsd: String(2 * Number(maxCostUsd)) }),
    ),
  },
  {
    id: 'history-success-stays',
    breaks: 'isTaskSuccessful keeps the value of the previous task while a follow-up runs.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-07',
    mayAlso: ['V3-HISTORY-23'],
    tamper: when(
      ({ status, totalInputTokens }) => status === 'running' && Number(totalInputTokens) > 0,
      () => ({ isTaskSuccessful: true }),
    ),
  },
  {
    id: 'history-output-after-end',
    breaks: 'The output of an ended session changes with every GET.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-08',
    mayAlso: ['V3-HISTORY-03', 'V3-HISTORY-14'],
    tamper: () => {
      let fetches = 0;
      return when(
        ({ status, output }) => status === 'stopped' && typeof output === 'string',
        ({ output }) => ({ output: `${String(output)} (${(fetches += 1)})` }),
      );
    },
  },
  {
    id: 'history-stopped-succeeds',
    breaks: 'Every stopped session shows isTaskSuccessful true.',
    server: 'reference',
    only: [...laws, 'LIFE-05'],
    target: 'V3-HISTORY-09',
    tamper: when(
      ({ status }) => status === 'stopped',
      () => ({ isTaskSuccessful: true }),
    ),
  },
  {
    id: 'history-ceiling-succeeds',
    breaks: 'A session that its cost limit ended shows isTaskSuccessful true.',
    server: 'reference',
    only: [...laws, 'V3-CREATE-16'],
    target: 'V3-HISTORY-09',
    tamper: when(
      ({ status, totalCostUsd, maxCostUsd }) =>
        status !== 'running' && typeof maxCostUsd === 'string' && Number(totalCostUsd) >= Number(maxCostUsd),
      () => ({ isTaskSuccessful: true }),
    ),
  },
  {
    id: 'history-output-tokens-zero',
    breaks: 'totalOutputTokens of a session stays 0.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-24',
    tamper: fetched((record) => ({ ...record, totalOutputTokens: 0 })),
  },
  ...schemaCopies.map(
    ([id, breaks, change]): Mutant => ({
      id: `history-schema-${id}`,
      breaks: `A session shows its schema ${breaks}.`,
      server: 'reference',
      only: ['V3-HISTORY-06', 'V3-VIEW-08'],
      target: 'V3-HISTORY-06',
      tamper: fetched((record) => ({ ...record, outputSchema: changedCopy(record['outputSchema'] ?? null, change) })),
    }),
  ),
  {
    id: 'history-profile-hidden',
    breaks: 'A session with a profile shows profileId null.',
    server: 'reference',
    only: [...laws, 'EFFECT-03'],
    target: 'V3-HISTORY-06',
    tamper: when(
      ({ profileId }) => typeof profileId === 'string',
      () => ({ profileId: null }),
    ),
  },
  {
    id: 'history-country-lost',
    breaks: 'The first fetch of a session, and each fetch while it runs, lacks the proxy country that later ones show.',
    server: 'reference',
    only: [...laws, 'V3-CREATE-15'],
    target: 'V3-HISTORY-06',
    mayAlso: ['V3-CREATE-15', 'V3-HISTORY-15'],
    tamper: () => {
      const countries = new Map<unknown, JsonObject[string]>();
      const fetchedIds = new Set<unknown>();
      return both(
        {
          answer: (seen, { body }) => {
            const { proxyCountryCode } = readBody(seen);
            if (proxyCountryCode !== undefined && isJsonObject(body)) countries.set(body['id'], proxyCountryCode);
            return undefined;
          },
        },
        fetched((record) => {
          const isLost = record['status'] === 'running' || !fetchedIds.has(record['id']);
          fetchedIds.add(record['id']);
          return { ...record, proxyCountryCode: isLost ? null : (countries.get(record['id']) ?? null) };
        }),
      );
    },
  },
  {
    id: 'history-giving-up-is-error',
    breaks: 'A session with a failed task has the status error.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-10',
    mayAlso: ['V3-HISTORY-08'],
    tamper: when(
      ({ status, isTaskSuccessful }) => status === 'stopped' && isTaskSuccessful === false,
      () => ({ status: 'error' }),
    ),
  },
  {
    id: 'history-refusal-sets-level',
    breaks: 'A follow-up that is refused for its level changes the level of the session.',
    server: 'reference',
    only: [...laws, 'V3-THINK-29'],
    target: 'V3-HISTORY-11',
    mayAlso: ['V3-HISTORY-08', 'V3-HISTORY-15'],
    tamper: afterRefusal({ thinkingLevel: 'medium' }),
  },
  {
    id: 'history-mailbox-no-address',
    breaks: 'inboxEmail is the name of a mailbox without a host.',
    server: 'reference',
    only: [...laws, 'V3-CREATE-12'],
    target: 'V3-HISTORY-12',
    tamper: when(
      ({ inboxEmail }) => typeof inboxEmail === 'string',
      ({ inboxEmail }) => ({ inboxEmail: String(inboxEmail).split('@')[0] ?? '' }),
    ),
  },
  {
    id: 'history-mailbox-changes',
    breaks: 'inboxEmail of a session changes with every GET.',
    server: 'reference',
    only: [...laws, 'V3-CREATE-12'],
    target: 'V3-HISTORY-12',
    tamper: () => {
      let fetches = 0;
      return when(
        ({ inboxEmail }) => typeof inboxEmail === 'string',
        ({ inboxEmail }) => ({ inboxEmail: `${(fetches += 1)}-${String(inboxEmail)}` }),
      );
    },
  },
  {
    id: 'history-level-lost-at-end',
    breaks: 'An ended session loses its level.',
    server: 'reference',
    only: [...laws, 'V3-CREATE-09'],
    target: 'V3-HISTORY-08',
    mayAlso: ['V3-HISTORY-06', 'V3-HISTORY-15'],
    tamper: when(
      ({ status }) => status === 'stopped',
      () => ({ thinkingLevel: null }),
    ),
  },
  {
    id: 'history-model-of-follow-up',
    breaks: 'A session shows the default model after the steps of a follow-up.',
    server: 'reference',
    only: [...laws, 'V3-THINK-27'],
    target: 'V3-HISTORY-05',
    mayAlso: ['V3-HISTORY-08'],
    tamper: () => {
      const followed = new Set<unknown>();
      return both(
        {
          answer: (seen, { status }) => {
            const { sessionId } = readBody(seen);
            if (seen.method === 'POST' && status < 300 && sessionId !== undefined) followed.add(sessionId);
            return undefined;
          },
        },
        when(
          ({ id }) => followed.has(id),
          () => ({ model: 'claude-opus-4.7' }),
        ),
      );
    },
  },
  {
    id: 'history-output-false',
    breaks: 'The output of a failed task is false.',
    server: 'reference',
    only: [...laws, 'V3-SESSION-14', 'V3-SESSION-20'],
    target: 'V3-SESSION-14',
    tamper: when(
      ({ isTaskSuccessful }) => isTaskSuccessful === false,
      () => ({ output: false }),
    ),
  },
  {
    id: 'history-counters-begin-at-one',
    breaks: 'A session that is still starting counts a step.',
    server: 'reference',
    only,
    target: 'V3-HISTORY-13',
    mayAlso: ['V3-HISTORY-04'],
    tamper: when(
      ({ status }) => status === 'created',
      () => ({ stepCount: 1 }),
    ),
  },
  {
    id: 'history-total-whole-dollars',
    breaks: 'The total cost of an ended session is rounded up to whole dollars.',
    server: 'reference',
    only: [...laws, 'LIFE-16', 'V3-SESSION-40'],
    target: 'V3-SESSION-40',
    tamper: when(
      ({ status }) => status === 'stopped',
      ({ totalCostUsd }) => ({ totalCostUsd: String(Math.ceil(Number(totalCostUsd))) }),
    ),
  },
];

/** Servers that confuse the ids of sessions, tasks or runs. */
export const identityMutants: readonly Mutant[] = [
  {
    id: 'identity-first-run',
    breaks: 'The GET of a V4 run returns the first run of the project.',
    server: 'reference',
    only: ['identity', 'v4-runs'],
    target: 'IDENTITY-01',
    mayAlso: ['V4-RUN-30', 'V4-RUN-29', 'V4-RUN-26', 'V4-RUN-28'],
    tamper: alwaysFirst('v4', 'runs'),
  },
  {
    id: 'identity-capital-letters',
    breaks: 'The GET of a V3 session by its id in capital letters returns another session.',
    server: 'reference',
    only: ['identity', 'V3-CREATE-01'],
    target: 'IDENTITY-01',
    tamper: told(
      at('GET', '/api/v3/sessions/*', ({ url }) => /[A-F]/.test(url)),
      (body) => ({ ...body, id: String(body['id']).replace(/.{8}$/, '00000000') }),
    ),
  },
  {
    id: 'identity-task-repeated',
    breaks: 'Every creation of a V2 task answers with the id of the first.',
    server: 'reference',
    only: ['identity', 'v2-tasks'],
    target: 'IDENTITY-02',
    mayAlso: ['V2-TASK-10'],
    tamper: () => {
      let first: JsonObject[string] | undefined;
      return told(at('POST', '/api/v2/tasks'), (body) => ({ ...body, id: (first ??= body['id'] ?? null) }));
    },
  },
  {
    id: 'identity-session-unknown',
    breaks: 'The creation of a V3 session answers with an unknown id.',
    server: 'reference',
    only: ['identity', 'V3-CREATE-01'],
    target: 'IDENTITY-03',
    tamper: told(at('POST', '/api/v3/sessions'), (body) => ({
      ...body,
      id: String(body['id']).replace(/.{8}$/, '00000000'),
    })),
  },
  {
    id: 'identity-unknown-run-found',
    breaks: 'A V4 run that does not exist is shown as an empty one.',
    server: 'reference',
    only: ['identity'],
    target: 'IDENTITY-04',
    mayAlso: ['IDENTITY-01'],
    tamper: turns(at('GET', '/api/v4/runs/*'), 404, { status: 200, body: { id: 'unknown', result: null } }),
  },
  {
    id: 'identity-word-500',
    breaks: 'The fetch of a V2 task by a word that is no id answers 500.',
    server: 'reference',
    only: ['identity'],
    target: 'IDENTITY-04',
    tamper: turns(at('GET', '/api/v2/tasks/not-an-id'), 422, {
      status: 500,
      body: { detail: 'Internal Server Error' },
    }),
  },
  {
    id: 'identity-task-of-another',
    breaks: 'GET of a V4 run shows the task of the run before.',
    server: 'reference',
    only: ['identity', 'v4-runs'],
    target: 'IDENTITY-01',
    tamper: () => {
      const sent: unknown[] = [];
      const before = new Map<string, unknown>();
      return {
        answer(seen, { status, body }) {
          if (!isJsonObject(body) || status >= 300) return undefined;
          if (seen.method === 'POST' && seen.url === '/api/v4/runs' && isJsonObject(seen.body)) {
            before.set(String(body['id']), sent.at(-1));
            sent.push(seen.body['task']);
          }
          const other = before.get(/^\/api\/v4\/runs\/([^/?]+)$/.exec(seen.url)?.[1] ?? '');
          return typeof other === 'string' && seen.method === 'GET' ? { body: { ...body, task: other } } : undefined;
        },
      };
    },
  },
];
