import { models } from '#generated/rules.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { at, both, isAt, readBody, wants } from '../operation-tampers.ts';
import { fetched, jobs } from '../tampers.ts';

const runs = '/api/v4/runs';
const reference = { server: 'reference' } as const;
const ended = new Set<unknown>(['completed', 'failed', 'cancelled', 'finished', 'stopped']);

/** Request bodies of accepted creations at one path, by the id of the created resource, in order of creation. */
type Creations = Map<unknown, JsonObject>;

/** Creates a tamper from a function that gets the request bodies of accepted creations. */
function withCreations(path: string, create: (creations: Creations) => Tamper): () => Tamper {
  return () => {
    const creations: Creations = new Map();
    const note: Tamper = {
      answer: (seen, { status, body }) => {
        if (seen.method === 'POST' && seen.url === path && status < 300 && isJsonObject(body))
          creations.set(body['id'], readBody(seen));
        return undefined;
      },
    };
    return both(note, create(creations));
  };
}

/** Returns the task of the latest job with another id. */
function otherTask(creations: Creations, id: unknown): string | undefined {
  const others = [...creations].filter(([other]) => other !== id);
  return others.map(([, { task }]) => String(task)).at(-1);
}

/** Shows in the result of each job the task of the latest job other than this one. */
function swaps(version: 'v2' | 'v4', member: string): (creations: Creations) => Tamper {
  const told = new Map<unknown, string>();
  return (creations) =>
    jobs(version, (record) => {
      const { id } = record;
      if (typeof record[member] !== 'string') return record;
      const outcome = told.get(id) ?? `Done: ${otherTask(creations, id) ?? 'nothing'}`;
      told.set(id, outcome);
      return { ...record, [member]: outcome };
    });
}

/**
 * Shows in the result of each run its own task. For a run that continues a session, shows the task of the latest other
 * run that continues a session.
 */
function swapsLater(creations: Creations): Tamper {
  const told = new Map<unknown, string>();
  return jobs('v4', (record) => {
    const { id } = record;
    if (typeof record['result'] !== 'string') return record;
    const later = new Map([...creations].filter(([, { sessionId }]) => sessionId !== undefined));
    const other = later.has(id) ? otherTask(later, id) : undefined;
    const outcome = told.get(id) ?? `Done: ${other ?? String(creations.get(id)?.['task'])}`;
    told.set(id, outcome);
    return { ...record, result: outcome };
  });
}

/**
 * Shows in the result of each run the task of the run whose result was shown before; for the first run its own task. A
 * run whose task contains `fail` is shown as failed, without a result.
 */
function showsRunBefore(creations: Creations): Tamper {
  const told = new Map<unknown, string>();
  let before: string | undefined;
  return jobs('v4', (record) => {
    const { id } = record;
    if (typeof record['result'] !== 'string') return record;
    const task = String(creations.get(id)?.['task']);
    if (task.includes('fail')) return { ...record, status: 'failed', result: null };
    if (!told.has(id)) {
      const own = `Done: ${task}`;
      told.set(id, before ?? own);
      before = own;
    }
    return { ...record, result: told.get(id) ?? null };
  });
}

/**
 * Returns the id of a record. An answer with only a status has no id; for such an answer, returns the id in the URL of
 * the request.
 */
function recordId(record: JsonObject, { url }: Seen): unknown {
  return record['id'] ?? /[0-9a-f-]{36}/.exec(url)?.[0];
}

function isFamily({ modelParams }: JsonObject, name: string): boolean {
  return isJsonObject(modelParams) && name in modelParams;
}

function refusal(loc: readonly string[]): { status: number; body: JsonObject } {
  return { status: 422, body: { detail: [{ loc: ['body', ...loc], msg: 'Not available', type: 'value_error' }] } };
}

/** Refuses selected creations at a path that the good server does not answer with 401 or 422. */
function refusesOtherwiseValid(path: string, loc: readonly string[], when: (body: JsonObject) => boolean): Tamper {
  return {
    answer: (seen, { status }) =>
      seen.method === 'POST' && seen.url === path && status !== 422 && status !== 401 && when(readBody(seen))
        ? refusal(loc)
        : undefined,
  };
}

/**
 * When any run is cancelled, shows all other working runs as cancelled too: all created runs that no answer has shown
 * as ended.
 */
function cancelsAll(): Tamper {
  const seenEnded = new Set<unknown>();
  const working = new Set<unknown>();
  const cancelled = new Set<unknown>();
  return {
    answer: (seen, given) => {
      if (isAt(at('POST', `${runs}/*/cancel`), seen) && given.status < 300)
        for (const id of working) if (!seenEnded.has(id)) cancelled.add(id);
      const { status, body } = given;
      if (seen.method === 'POST' && seen.url === runs && status < 300 && isJsonObject(body)) working.add(body['id']);
      return jobs('v4', (record) => {
        const id = recordId(record, seen);
        if (cancelled.has(id)) return { ...record, status: 'cancelled', result: null };
        if (ended.has(record['status'])) seenEnded.add(id);
        return record;
      }).answer?.(seen, given);
    },
  };
}

/** Shows in the fetched records of idle sessions the level of the last accepted follow-up to any other session. */
function sharesLevel(): Tamper {
  let last: { id: unknown; level: string } | undefined;
  const note: Tamper = {
    answer: (seen, { status }) => {
      const { sessionId: id, thinkingLevel: level } = readBody(seen);
      const isFollowUp = seen.method === 'POST' && seen.url === '/api/v3/sessions' && status < 300 && id !== undefined;
      if (isFollowUp && typeof level === 'string') last = { id, level };
      return undefined;
    },
  };
  const show = fetched((record) =>
    last !== undefined && record['status'] === 'idle' && record['id'] !== last.id
      ? { ...record, thinkingLevel: last.level }
      : record,
  );
  return both(note, show);
}

/** Allows reads of a session without a key if the last read of the session has shown it as running. */
function opensRunning(): Tamper {
  const running = new Set<string>();
  const isRead = ({ method, url }: Seen): boolean => method === 'GET' && /^\/api\/v3\/sessions\/[^/?]+$/.test(url);
  return {
    request: (seen) =>
      isRead(seen) && running.has(seen.url) && seen.headers['x-service-api-key'] === undefined
        ? { headers: { ...seen.headers, 'x-service-api-key': testKey } }
        : undefined,
    answer: (seen, { status, body }) => {
      if (!isRead(seen) || status !== 200 || !isJsonObject(body)) return undefined;
      if (body['status'] === 'running') running.add(seen.url);
      else running.delete(seen.url);
      return undefined;
    },
  };
}

/** Names `keepAlive` instead of `enableRecording` in the refusal of a wrong `enableRecording`. */
const misplacesRecording: Tamper = {
  answer: (seen, { status, body }) => {
    const isWrong = typeof (readBody(seen)['enableRecording'] ?? true) !== 'boolean';
    if (seen.method !== 'POST' || seen.url !== '/api/v3/sessions' || status !== 422 || !isWrong) return undefined;
    const text = JSON.stringify(body).replaceAll('"enableRecording"', '"keepAlive"');
    return { body: JSON.parse(text) };
  },
};

const withoutIds = wants(at('POST', '/api/v2/tasks'), () => ({ sessionId: undefined, sessionSettings: undefined }));

/**
 * Refuses V2 tasks with the model `claude-opus-5`. If the good server refuses the request too, its error details come
 * first.
 */
const unknownModel: Tamper = {
  answer: (seen, { status, body }) => {
    const isMeant = ({ method, url }: Seen): boolean => method === 'POST' && url === '/api/v2/tasks';
    if (!isMeant(seen) || readBody(seen)['llm'] !== 'claude-opus-5' || status === 401) return undefined;
    const detail = status === 422 && isJsonObject(body) && Array.isArray(body['detail']) ? body['detail'] : [];
    const unknown = { loc: ['body', 'llm'], msg: 'Unknown model', type: 'enum' };
    return { status: 422, body: { detail: [...detail, unknown] } };
  },
};

/**
 * Servers that are wrong only while jobs work, only for one model or family of models, or only for one member or
 * combination of members in a request.
 */
export const simultaneousMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'v4-result-of-another-run',
    breaks: 'The result of a run is about the task of the run that was created last.',
    only: ['V4-RUN-33', 'V4-RUN-28'],
    target: 'V4-RUN-33',
    tamper: withCreations(runs, swaps('v4', 'result')),
  },
  {
    ...reference,
    id: 'v4-results-of-later-runs-swapped',
    breaks: 'Runs that continue two sessions at the same time show the results of each other.',
    only: ['V4-RUN-33'],
    target: 'V4-RUN-33',
    tamper: withCreations(runs, swapsLater),
  },
  {
    ...reference,
    id: 'v4-result-of-the-run-before',
    breaks: 'The result of a run is about the task of the run that completed before it; failed runs have none.',
    only: ['V4-RUN-32', 'V4-RUN-28'],
    target: 'V4-RUN-32',
    tamper: withCreations(runs, showsRunBefore),
  },
  {
    ...reference,
    id: 'v2-output-of-another-task',
    breaks: 'The output of a V2 task is about the task that was created last.',
    only: ['V2-TASK-12', 'V2-TASK-09'],
    target: 'V2-TASK-12',
    tamper: withCreations('/api/v2/tasks', swaps('v2', 'output')),
  },
  {
    ...reference,
    id: 'v3-level-of-another-session',
    breaks: 'A follow-up with a level changes the level of every other idle session.',
    only: ['V3-HISTORY-15', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-15',
    tamper: sharesLevel,
  },
  {
    ...reference,
    id: 'v3-running-session-open',
    breaks: 'A V3 session is served without a key while its task runs.',
    only: ['AUTH-01', 'GEN-03', 'V3-SESSION-24'],
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: opensRunning,
  },
  {
    ...reference,
    id: 'v3-loc-of-another-member',
    breaks: 'The refusal of a wrong enableRecording names keepAlive as its location.',
    only: ['ERR-05'],
    target: 'ERR-05',
    tamper: misplacesRecording,
  },
  {
    ...reference,
    id: 'v2-level-ignored-beside-thinking-false',
    breaks: 'V2 does not read the level of o4-mini beside thinking false.',
    only: ['V2-TASK-07'],
    target: 'V2-TASK-07',
    tamper: wants(at('POST', '/api/v2/tasks'), ({ llm, thinking }) =>
      llm === 'o4-mini' && thinking === false ? { thinkingLevel: undefined } : {},
    ),
  },
  {
    ...reference,
    id: 'v3-own-key-not-needed-beside-null',
    breaks: 'V3 needs no own key for gemini-3.5-flash beside the level null.',
    only: ['V3-OWN-KEY'],
    target: 'V3-OWN-KEY',
    tamper: wants(at('POST', '/api/v3/sessions'), ({ model, thinkingLevel }) =>
      model === 'gemini-3.5-flash' && thinkingLevel === null ? { model: undefined } : {},
    ),
  },
  {
    ...reference,
    id: 'v4-params-change-model',
    breaks: 'A run with modelParams shows the recommended model in place of its own.',
    only: ['V4-MODELS-ACCEPTED', 'V4-VIEW-04'],
    target: 'V4-MODELS-ACCEPTED',
    tamper: withCreations(runs, (creations) =>
      jobs('v4', (record, seen) =>
        'modelParams' in (creations.get(recordId(record, seen)) ?? {}) && typeof record['model'] === 'string'
          ? { ...record, model: models.v4.recommended.model }
          : record,
      ),
    ),
  },
  {
    ...reference,
    id: 'v4-runs-with-params-never-end',
    breaks: 'Runs whose modelParams have output_config never end.',
    only: ['V4-RUN-33', 'V4-RUN-27'],
    target: 'V4-RUN-33',
    tamper: withCreations(runs, (creations) =>
      jobs('v4', (record, seen) =>
        isFamily(creations.get(recordId(record, seen)) ?? {}, 'output_config')
          ? { ...record, status: 'running', result: null }
          : record,
      ),
    ),
  },
  {
    ...reference,
    id: 'v4-runs-with-params-fail',
    breaks: 'Runs whose modelParams have thinkingConfig fail.',
    only: ['V4-PARAMS-ACCEPTS', 'V4-RUN-33'],
    target: 'V4-PARAMS-ACCEPTS',
    tamper: withCreations(runs, (creations) =>
      jobs('v4', (record, seen) =>
        isFamily(creations.get(recordId(record, seen)) ?? {}, 'thinkingConfig') && ended.has(record['status'])
          ? { ...record, status: 'failed', result: null }
          : record,
      ),
    ),
  },
  {
    ...reference,
    id: 'v4-cancel-ends-all-runs',
    breaks: 'The cancellation of one run cancels every run that works.',
    only: ['V4-RUN-33', 'V4-PARAMS-ACCEPTS'],
    target: 'V4-RUN-33',
    tamper: cancelsAll,
  },
  {
    ...reference,
    id: 'v4-empty-params-of-gemini-refused',
    breaks: 'Empty modelParams are refused for the gemini models.',
    only: ['V4-PARAMS-37', 'V4-PARAMS-34', 'V4-PARAMS-ACCEPTS'],
    target: 'V4-PARAMS-37',
    tamper: refusesOtherwiseValid(runs, ['modelParams'], ({ model, modelParams }) => {
      const isEmpty = isJsonObject(modelParams) && Object.keys(modelParams).length === 0;
      return isEmpty && String(model).startsWith('gemini-');
    }),
  },
  {
    ...reference,
    id: 'v4-value-refused-where-ids-are-forbidden',
    breaks: 'gpt-5.6 refuses max in requests that are valid otherwise; unknown ids are answered 403.',
    only: ['V4-PARAMS-ACCEPTS'],
    target: 'V4-PARAMS-ACCEPTS',
    tamper: both(
      { answer: (seen, { status }) => (seen.url === runs && status === 404 ? { status: 403 } : undefined) },
      refusesOtherwiseValid(
        runs,
        ['modelParams'],
        ({ model, modelParams }) => model === 'gpt-5.6' && JSON.stringify(modelParams ?? {}).includes('"max"'),
      ),
    ),
  },
  {
    ...reference,
    id: 'v2-model-unknown',
    breaks: 'V2 does not know claude-opus-5, and ignores ids of sessions and settings.',
    only: ['V2-THINK-ACCEPTS'],
    target: 'V2-THINK-ACCEPTS',
    tamper: both(withoutIds, unknownModel),
  },
  {
    ...reference,
    id: 'v3-every-model-beside-own-key',
    breaks: 'V3 takes models that are not listed beside useOwnKey.',
    only: ['V3-ENUM-03'],
    target: 'V3-ENUM-03',
    tamper: wants(at('POST', '/api/v3/sessions'), ({ model, useOwnKey }) =>
      useOwnKey === true && !models.v3.models.some(({ name }) => name === model)
        ? { model: 'svc-max', useOwnKey: false }
        : {},
    ),
  },
  {
    ...reference,
    id: 'v4-params-in-an-array',
    breaks: 'V4 does not look at modelParams whose object is in an array.',
    only: ['V4-PARAMS-27'],
    target: 'V4-PARAMS-27',
    tamper: wants(at('POST', runs), ({ modelParams }) =>
      isJsonObject(modelParams) && Object.values(modelParams).some((value) => Array.isArray(value))
        ? { modelParams: {} }
        : {},
    ),
  },
  {
    ...reference,
    id: 'v2-thinking-needs-a-level',
    breaks: 'V2 refuses thinking true without a level, and ignores ids of sessions and settings.',
    only: ['VER-08'],
    target: 'VER-08',
    tamper: both(
      withoutIds,
      refusesOtherwiseValid(
        '/api/v2/tasks',
        ['thinkingLevel'],
        ({ thinking, thinkingLevel }) => thinking === true && typeof thinkingLevel !== 'string',
      ),
    ),
  },
];
