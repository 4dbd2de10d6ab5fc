import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { elsewhere, namesElsewhere } from '../legal-variants.ts';
import { both, readBody } from '../operation-tampers.ts';
import { fetched, omit, sent } from '../tampers.ts';

const sessions = '/api/v3/sessions';
const reference = { server: 'reference' } as const;

/** Facts about the sessions of one run of the suite, read from requests and answers. */
interface Memory {
  /** The model that each session's creation named, by session id. */
  readonly models: Map<unknown, unknown>;
  /** Number of accepted follow-ups of each session, by session id. */
  readonly followUps: Map<unknown, number>;
  /** Last shown status of each session, by session id. */
  readonly statuses: Map<unknown, unknown>;
}

function isFollowUp({ method, url, body }: Seen): boolean {
  return method === 'POST' && url === sessions && isJsonObject(body) && typeof body['sessionId'] === 'string';
}

/** Creates a tamper from a function that gets the recorded sessions. */
function withSessions(create: (memory: Memory) => Tamper): () => Tamper {
  return () => {
    const memory: Memory = { models: new Map(), followUps: new Map(), statuses: new Map() };
    const note: Tamper = {
      answer(seen, { status, body }) {
        if (status >= 300 || !isJsonObject(body)) return undefined;
        if (seen.url.startsWith(sessions)) memory.statuses.set(body['id'], body['status']);
        if (seen.method !== 'POST' || seen.url !== sessions) return undefined;
        const { sessionId, model } = readBody(seen);
        if (sessionId === undefined) memory.models.set(body['id'], model);
        else memory.followUps.set(sessionId, (memory.followUps.get(sessionId) ?? 0) + 1);
        return undefined;
      },
    };
    return both(create(memory), note);
  };
}

const refusal = (member: string): JsonObject => ({
  detail: [{ loc: ['body', member], msg: 'Not accepted here', type: 'value_error' }],
});

/** Refuses with 422 each follow-up whose body `isMeant` selects. */
function refuses(isMeant: (body: JsonObject) => boolean): Tamper {
  const isRefused = (seen: Seen): boolean => isFollowUp(seen) && isMeant(readBody(seen));
  return {
    request: (seen) => (isRefused(seen) ? { body: { ...readBody(seen), task: 7 } } : undefined),
    answer: (seen, { status }) =>
      isRefused(seen) && status >= 400 ? { status: 422, body: refusal('thinkingLevel') } : undefined,
  };
}

/** Answers a follow-up to a selected session with the record of the session, and does not dispatch the task. */
function swallows(isMeant: (id: unknown) => boolean): Tamper {
  return {
    request: (seen) => {
      const { sessionId } = readBody(seen);
      return isFollowUp(seen) && isMeant(sessionId)
        ? { method: 'GET', url: `${sessions}/${String(sessionId)}`, body: '' }
        : undefined;
    },
  };
}

/** Serves follow-ups at a separate endpoint, and changes their bodies. */
function movedFollowUps(change: (body: JsonObject) => JsonObject): Tamper {
  return {
    request: (seen) => {
      const moved = elsewhere.request?.(seen);
      if (moved?.url !== sessions || !isJsonObject(moved.body)) return moved;
      return { ...moved, body: change(moved.body) };
    },
  };
}

/**
 * Serves follow-ups at a separate endpoint. Changes the fetched records of sessions that have got a follow-up and whose
 * task has succeeded. `before` is the last record that was fetched before the follow-up.
 */
function afterMoved(change: (record: JsonObject, before: JsonObject) => JsonObject): () => Tamper {
  return () => {
    const before = new Map<unknown, JsonObject>();
    const followed = new Set<unknown>();
    return both(
      {
        ...elsewhere,
        answer: ({ method, url }) => {
          if (method === 'PUT' && url.endsWith('/next-task')) followed.add(url.split('/').at(-2));
          return undefined;
        },
      },
      fetched((record) => {
        const id = record['id'];
        if (!followed.has(id)) before.set(id, record);
        return followed.has(id) && record['isTaskSuccessful'] === true
          ? { ...record, ...change(record, before.get(id) ?? {}) }
          : record;
      }),
    );
  };
}

/**
 * Servers on which the form of the output that a session requires is lost in follow-ups. Most of these servers have a
 * separate endpoint for follow-ups.
 */
const formMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'follow-up-without-code',
    breaks: 'The follow-up of a session in code mode is not in code mode.',
    only: ['V3-SESSION-11', 'V3-CREATE-09'],
    target: 'V3-SESSION-11',
    mayAlso: ['V3-CREATE-09'],
    targetFile: namesElsewhere,
    tamper: movedFollowUps((body) => ('codeMode' in body ? { ...body, codeMode: false } : body)),
  },
  {
    ...reference,
    id: 'follow-up-without-schema',
    breaks: 'The follow-up of a session with an output schema gives free text.',
    only: ['V3-SESSION-13'],
    target: 'V3-SESSION-13',
    targetFile: namesElsewhere,
    tamper: afterMoved(({ outputSchema = null, output = null }) => ({
      output: isJsonObject(outputSchema) ? 'The page has a title.' : output,
    })),
  },
  {
    ...reference,
    id: 'follow-up-output-of-first',
    breaks: 'After a follow-up a session shows the output of the task before.',
    only: ['V3-SESSION-13'],
    target: 'V3-SESSION-13',
    targetFile: namesElsewhere,
    tamper: afterMoved((_record, { output = null }) => ({ output })),
  },
  {
    ...reference,
    id: 'structured-failure-text',
    breaks: 'A task that was sent with an output schema and fails gives free text.',
    only: ['V3-SESSION-13'],
    target: 'V3-SESSION-13',
    targetFile: namesElsewhere,
    tamper: both(
      elsewhere,
      fetched((record) =>
        isJsonObject(record['outputSchema']) && record['isTaskSuccessful'] === false
          ? { ...record, output: 'The goal was not reached.' }
          : record,
      ),
    ),
  },
];

/** Servers that treat follow-ups wrongly, but only in sessions of a kind that few requests use. */
export const refusedFollowUpMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'follow-up-level-unchecked-for-one-model',
    breaks: 'The level of a follow-up is not checked for minimax-m3, which supports none.',
    only: ['V3-FOLLOW-05'],
    target: 'V3-FOLLOW-05',
    tamper: withSessions(({ models }) =>
      sent(sessions, (body) => (models.get(body['sessionId']) === 'minimax-m3' ? omit(body, 'thinkingLevel') : body)),
    ),
  },
  {
    ...reference,
    id: 'follow-up-levels-refused-for-alias',
    breaks: 'A follow-up with a level is refused for a session that was created with svc-mini.',
    only: ['V3-FOLLOW-02'],
    target: 'V3-FOLLOW-02',
    tamper: withSessions(({ models }) =>
      refuses((body) => 'thinkingLevel' in body && models.get(body['sessionId']) === 'svc-mini'),
    ),
  },
  {
    ...reference,
    id: 'level-checked-against-named-model',
    breaks: 'The level of a follow-up is checked against the model that the follow-up names.',
    only: ['V3-FOLLOW-05'],
    target: 'V3-FOLLOW-05',
    tamper: () =>
      sent(sessions, (body) => ('sessionId' in body && 'model' in body ? omit(body, 'thinkingLevel') : body)),
  },
  {
    ...reference,
    id: 'follow-up-without-level-refused',
    breaks: 'A follow-up without a level is refused for a session on gemini-3.1-pro.',
    only: ['V3-FOLLOW-02'],
    target: 'V3-FOLLOW-02',
    tamper: withSessions(({ models }) =>
      refuses((body) => !('thinkingLevel' in body) && models.get(body['sessionId']) === 'gemini-3.1-pro'),
    ),
  },
  {
    ...reference,
    id: 'follow-up-without-key',
    breaks: 'A follow-up needs no key.',
    only: ['AUTH-01', 'V3-FOLLOW-05'],
    target: 'AUTH-01',
    tamper: {
      request: (seen) =>
        isFollowUp(seen) && seen.headers['x-service-api-key'] === undefined
          ? { headers: { ...seen.headers, 'x-service-api-key': testKey } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'follow-up-wakes-timed-out',
    breaks: 'A session that has timed out accepts a task and runs again.',
    only: ['LIFE-01', 'LIFE-07'],
    target: 'LIFE-01',
    tamper: withSessions(({ statuses }) => {
      const awake = new Set<unknown>();
      return both(
        swallows((id) => {
          if (statuses.get(id) === 'timed_out') awake.add(id);
          return awake.has(id);
        }),
        fetched((record) => (awake.has(record['id']) ? { ...record, status: 'running' } : record)),
      );
    }),
  },
  {
    ...reference,
    id: 'follow-up-second-never-runs',
    breaks: 'The second follow-up of a session is accepted and never runs.',
    only: ['LIFE-11'],
    target: 'LIFE-11',
    tamper: withSessions(({ followUps }) => swallows((id) => followUps.get(id) === 1)),
  },
  {
    ...reference,
    id: 'follow-up-refused-sets-level',
    breaks: 'A follow-up that is refused because a task runs sets the level of its session.',
    only: ['V3-HISTORY-11', 'LIFE-05'],
    target: 'V3-HISTORY-11',
    mayAlso: ['V3-HISTORY-15', 'V3-HISTORY-16'],
    tamper: () => {
      const levels = new Map<unknown, JsonObject[string]>();
      const shown = fetched((record) => {
        const level = levels.get(record['id']);
        return level === undefined ? record : { ...record, thinkingLevel: level };
      });
      return {
        answer: (seen, given) => {
          const { sessionId, thinkingLevel } = readBody(seen);
          if (isFollowUp(seen) && given.status === 409 && thinkingLevel !== undefined)
            levels.set(sessionId, thinkingLevel);
          return shown.answer?.(seen, given);
        },
      };
    },
  },
  {
    server: 'providers',
    id: 'follow-up-own-key-remembered',
    breaks: 'After a session with useOwnKey, own-key models need the option no more.',
    only: ['V3-CREATE-06'],
    target: 'V3-CREATE-06',
    tamper: () => {
      let isKnown = false;
      return sent(sessions, (body) => {
        const needs = isKnown && typeof body['model'] === 'string' && !('useOwnKey' in body);
        isKnown ||= body['useOwnKey'] === true;
        return needs ? { ...body, useOwnKey: true } : body;
      });
    },
  },
  ...formMutants,
];
