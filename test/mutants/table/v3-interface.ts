import { randomUUID } from 'node:crypto';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { at, readBody, both, does, queries, rows, says, told, turns, wants } from '../operation-tampers.ts';
import { omit } from '../tampers.ts';

const server = { server: 'reference' } as const;
const views = { ...server, only: ['v3-session-views'] } as const;
const talk = { ...server, only: ['v3-messages'] } as const;

const [sessions, one, messages] = ['/api/v3/sessions', '/api/v3/sessions/*', '/api/v3/sessions/*/messages'];
const getSession = at('GET', one);
const listSessions = at('GET', sessions);
const listMessages = at('GET', messages);
const stops = (strategy: string) => at('POST', `${one}/stop`, (seen) => readBody(seen)['strategy'] === strategy);
const isHalfScreen = ({ browserScreenWidth, browserScreenHeight }: JsonObject): boolean =>
  (browserScreenWidth === undefined) !== (browserScreenHeight === undefined);
const query = ({ url }: Seen, member: string): string | null => new URL(url, 'http://x').searchParams.get(member);
const withAfter = at('GET', messages, (seen) => query(seen, 'after') !== null);
const newest = at('GET', messages, (seen) => query(seen, 'after') === null && query(seen, 'before') === null);

/** Shows the status idle in place of created. */
function idleAtOnce(body: JsonObject): JsonObject {
  return body['status'] === 'created' ? { ...body, status: 'idle' } : body;
}

/** Servers whose V3 sessions violate rules of the companion. */
export const v3ViewMutants: readonly Mutant[] = [
  {
    ...views,
    id: 'v3-list-page-one',
    breaks: 'Every page of V3 sessions is the first page and states the page number 1.',
    target: 'V3-VIEW-01',
    tamper: queries(listSessions, 'page', () => '1'),
    mayAlso: ['V3-VIEW-14'],
  },
  {
    ...views,
    id: 'v3-list-total-zero',
    breaks: 'The list of V3 sessions states a total of 0.',
    target: 'V3-VIEW-01',
    tamper: says(listSessions, { total: 0 }),
  },
  {
    ...views,
    id: 'v3-list-empty',
    breaks: 'The list of V3 sessions is empty.',
    target: 'V3-VIEW-02',
    tamper: says(listSessions, { sessions: [] }),
  },
  {
    ...views,
    id: 'v3-list-screenshots',
    breaks: 'The list of V3 sessions contains screenshot URLs.',
    target: 'V3-VIEW-03',
    tamper: rows(listSessions, 'sessions', (items) =>
      items.map((item) => ({ ...item, screenshotUrl: 'http://127.0.0.1/shot' })),
    ),
  },
  {
    ...views,
    id: 'v3-not-deleted',
    breaks: 'DELETE of a V3 session answers 204 and does nothing.',
    target: 'V3-VIEW-04',
    tamper: does(at('DELETE', one), { status: 204 }),
  },
  {
    ...views,
    id: 'v3-deleted-takes-follow-up',
    breaks: 'A V3 session that was deleted takes a follow-up.',
    target: 'V3-VIEW-04',
    tamper: () => {
      const deleted = new Set<unknown>();
      return {
        answer: (seen, { status }) => {
          if (seen.method === 'DELETE' && status === 204) deleted.add(seen.url.split('/').at(-1));
          const { sessionId } = readBody(seen);
          const isTaken = seen.method === 'POST' && deleted.has(sessionId);
          return isTaken ? { status: 200, body: { id: sessionId, status: 'running' } } : undefined;
        },
      };
    },
  },
  {
    ...views,
    id: 'v3-deleted-200',
    breaks: 'DELETE of a V3 session answers 200.',
    target: 'V3-VIEW-04',
    tamper: turns(at('DELETE', one), 204, { status: 200, body: {} }),
  },
  {
    ...views,
    id: 'v3-stop-task-ends-session',
    breaks: 'The strategy task ends the V3 session.',
    target: 'V3-VIEW-05',
    tamper: wants(stops('task'), () => ({ strategy: 'session' })),
  },
  {
    ...views,
    id: 'v3-stop-session-keeps-it',
    breaks: 'The strategy session ends only the task.',
    target: 'V3-VIEW-06',
    tamper: wants(stops('session'), () => ({ strategy: 'task' })),
  },
  {
    ...views,
    id: 'v3-stop-unknown-400',
    breaks: 'An unknown strategy is refused with 400.',
    target: 'V3-VIEW-07',
    tamper: turns(stops('pause'), 422, { status: 400 }),
  },
  {
    ...views,
    id: 'v3-empty-has-steps',
    breaks: 'A V3 session without a task counts a step.',
    target: 'V3-VIEW-08',
    tamper: told(getSession, (body) =>
      body['title'] === null && body['status'] === 'idle' ? { ...body, stepCount: 1 } : body,
    ),
  },
  {
    ...views,
    id: 'v3-taskless-400',
    breaks: 'A V3 follow-up without a task is refused with 400.',
    target: 'V3-VIEW-09',
    tamper: turns(
      at('POST', sessions, (seen) => readBody(seen)['task'] === undefined && 'sessionId' in readBody(seen)),
      422,
      { status: 400 },
    ),
  },
  {
    ...views,
    id: 'v3-default-model',
    breaks: 'A V3 session without a model in its request uses another default model.',
    target: 'V3-VIEW-10',
    tamper: wants(
      at('POST', sessions, (seen) => !('sessionId' in readBody(seen))),
      ({ model }) => ({ model: model ?? 'claude-opus-4.8' }),
    ),
  },
  {
    ...views,
    id: 'v3-half-screen',
    breaks: 'A V3 session accepts a screen width without a height.',
    target: 'V3-VIEW-11',
    tamper: wants(
      at('POST', sessions, (seen) => isHalfScreen(readBody(seen))),
      () => ({ browserScreenWidth: undefined, browserScreenHeight: undefined }),
    ),
  },
  {
    ...views,
    id: 'v3-screen-forgotten',
    breaks: 'A V3 session does not show its screen.',
    target: 'V3-VIEW-12',
    tamper: says(getSession, { browserScreenWidth: null, browserScreenHeight: null }),
  },
  {
    ...views,
    id: 'v3-idle-at-once',
    breaks: 'A V3 session is idle before its task runs.',
    target: 'V3-VIEW-13',
    tamper: both(told(getSession, idleAtOnce), told(at('POST', sessions), idleAtOnce)),
  },
  {
    ...views,
    id: 'v3-idle-at-follow-up',
    breaks: 'A V3 session is idle in the answer to a follow-up.',
    target: 'V3-VIEW-13',
    tamper: told(
      at('POST', sessions, (seen) => 'sessionId' in readBody(seen)),
      (body) => ({ ...body, status: 'idle' }),
    ),
  },
  {
    ...views,
    id: 'v3-page-size-clamped',
    breaks: 'A page size of V3 sessions above the maximum is lowered instead of refused.',
    target: 'V3-VIEW-14',
    tamper: queries(listSessions, 'page_size', (size) => (Number(size) > 100 ? '100' : size)),
  },
];

const anyOfThem = [
  'V3-MSG-01',
  'V3-MSG-02',
  'V3-MSG-03',
  'V3-MSG-04',
  'V3-MSG-05',
  'V3-MSG-06',
  'V3-MSG-07',
  'V3-MSG-08',
  'V3-MSG-09',
] as const;

/** Shows the message whose id is the value of `after` again at the beginning of the page. */
function inclusive(): Tamper {
  const known = new Map<string, JsonObject>();
  return {
    answer(seen, { status, body }) {
      const shown = isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'].filter(isJsonObject) : [];
      if (!seen.url.includes('/messages') || status !== 200 || !isJsonObject(body)) return undefined;
      for (const message of shown) known.set(String(message['id']), message);
      const named = known.get(query(seen, 'after') ?? '');
      return named === undefined || shown.length === 0 ? undefined : { body: { ...body, messages: [named, ...shown] } };
    },
  };
}

/** Servers whose V3 messages are incomplete or in the wrong order. */
export const v3MessageMutants: readonly Mutant[] = [
  {
    ...talk,
    id: 'v3-messages-roles',
    breaks: 'The task is a message of the agent.',
    target: 'V3-MSG-01',
    mayAlso: ['V3-MSG-09'],
    tamper: rows(listMessages, 'messages', (items) => items.map((item) => ({ ...item, role: 'ai' }))),
  },
  {
    ...talk,
    id: 'v3-messages-newest-first',
    breaks: 'A page has messages in the wrong order.',
    target: 'V3-MSG-02',
    mayAlso: anyOfThem,
    tamper: rows(listMessages, 'messages', (items) => items.toReversed()),
  },
  {
    ...talk,
    id: 'v3-messages-after-inclusive',
    breaks: 'A page repeats the message of its cursor after.',
    target: 'V3-MSG-03',
    mayAlso: anyOfThem,
    tamper: inclusive,
  },
  {
    ...talk,
    id: 'v3-messages-after-ignored-later',
    breaks: 'The cursor after is ignored once a page has shown two tasks.',
    target: 'V3-MSG-03',
    mayAlso: anyOfThem,
    tamper: () => {
      let all: JsonObject[] = [];
      return rows(listMessages, 'messages', (items, seen) => {
        const isWhole = query(seen, 'before') === null && query(seen, 'limit') === '100';
        if (query(seen, 'after') === null && isWhole) all = items;
        const humans = [...all, ...items].filter(({ role }) => role === 'human');
        const isLater = new Set(humans.map(({ id }) => id)).size > 1;
        return query(seen, 'after') !== null && isWhole && isLater ? [...all, ...items] : items;
      });
    },
  },
  {
    ...talk,
    id: 'v3-messages-page-skips',
    breaks: 'The next page omits a message.',
    target: 'V3-MSG-04',
    mayAlso: ['V3-MSG-03', 'V3-MSG-08'],
    tamper: both(
      queries(withAfter, 'limit', (limit) => (limit === '1' ? '2' : limit)),
      rows(
        at('GET', messages, (seen) => query(seen, 'after') !== null && query(seen, 'limit') === '1'),
        'messages',
        (items) => items.slice(-1),
      ),
    ),
  },
  {
    ...talk,
    id: 'v3-messages-never-end',
    breaks: 'The page after the last message states that more messages follow.',
    target: 'V3-MSG-05',
    mayAlso: ['V3-MSG-08'],
    tamper: told(listMessages, (body) =>
      Array.isArray(body['messages']) && body['messages'].length === 0 ? { ...body, hasMore: true } : body,
    ),
  },
  {
    ...talk,
    id: 'v3-messages-oldest',
    breaks: 'Without a cursor, a page holds the oldest messages.',
    target: 'V3-MSG-06',
    mayAlso: ['V3-MSG-08'],
    tamper: both(
      queries(newest, 'limit', () => '100'),
      rows(newest, 'messages', (items, seen) => items.slice(0, Number(query(seen, 'limit')))),
    ),
  },
  {
    ...talk,
    id: 'v3-messages-before-ignored',
    breaks: 'The cursor before is ignored.',
    target: 'V3-MSG-07',
    tamper: queries(listMessages, 'before', () => undefined),
  },
  {
    ...talk,
    id: 'v3-messages-no-more',
    breaks: 'No page of messages states that more messages follow.',
    target: 'V3-MSG-08',
    tamper: says(listMessages, { hasMore: false }),
  },
  {
    ...talk,
    id: 'v3-messages-task-late',
    breaks: 'The task of a follow-up is not among the messages.',
    target: 'V3-MSG-09',
    tamper: rows(withAfter, 'messages', (items) => items.filter(({ role }) => role !== 'human')),
  },
  {
    ...talk,
    id: 'v3-messages-lost-at-stop',
    breaks: 'The messages of a V3 session that was stopped are gone.',
    target: 'V3-MSG-10',
    tamper: () => {
      const stopped = new Set<string | undefined>();
      const idIn = ({ url }: Seen): string | undefined => url.split('/')[4];
      return both(
        {
          answer: (seen) => {
            if (seen.method === 'POST' && seen.url.endsWith('/stop')) stopped.add(idIn(seen));
            return undefined;
          },
        },
        rows(listMessages, 'messages', (items, seen) => (stopped.has(idIn(seen)) ? [] : items)),
      );
    },
  },
  {
    ...talk,
    id: 'v3-messages-rewritten',
    breaks: 'The summary of a message changes with every response.',
    target: 'V3-MSG-10',
    tamper: rows(listMessages, 'messages', (items) => items.map((item) => ({ ...item, summary: randomUUID() }))),
  },
];

/** Conforming V3 variants, for which no check may fail. */
export const legalV3: readonly Omit<Mutant, 'target'>[] = [
  {
    ...views,
    only: ['V3-HISTORY-06'],
    id: 'v3-legal-country-null',
    breaks: 'The proxy country of every V3 session is null.',
    tamper: both(
      both(says(getSession, { proxyCountryCode: null }), says(at('POST', sessions), { proxyCountryCode: null })),
      rows(listSessions, 'sessions', (items) => items.map((item) => ({ ...item, proxyCountryCode: null }))),
    ),
  },
  {
    ...talk,
    id: 'v3-legal-before-reversed',
    breaks: 'Pages with before begin with the newest message, and screenshot URLs are new in every response.',
    tamper: both(
      rows(
        at('GET', messages, (seen) => query(seen, 'before') !== null),
        'messages',
        (items) => items.toReversed(),
      ),
      rows(listMessages, 'messages', (items) =>
        items.map((item) => ({ ...item, screenshotUrl: `http://127.0.0.1/${randomUUID()}` })),
      ),
    ),
  },
  {
    ...views,
    id: 'v3-legal-deleted-410',
    breaks: 'A deleted V3 session answers 410, and a stopped session refuses a follow-up with 400.',
    tamper: both(turns(getSession, 404, { status: 410 }), turns(at('POST', sessions), 409, { status: 400 })),
  },
  {
    ...views,
    id: 'v3-legal-list-members',
    breaks: 'The list of V3 sessions has no members for recordings and the screenshot.',
    tamper: rows(listSessions, 'sessions', (items) =>
      items.map((item) => omit(omit(item, 'recordingUrls'), 'screenshotUrl')),
    ),
  },
];
