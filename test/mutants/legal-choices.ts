import { models } from '#generated/rules.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Choice, Given, Seen, Tamper } from './mutant.ts';
import { formChoices } from './legal-choices-forms.ts';
import { recordChoices } from './legal-choices-records.ts';
import { readBody } from './operation-tampers.ts';
import { refusesUploads } from './table/lifecycle.ts';
import { isForeign } from './table/two-keys.ts';
import { details, jobs, records } from './tampers.ts';
import type { World } from './world.ts';

const refusal = (member: string): Partial<Given> => ({
  status: 422,
  body: { detail: [{ loc: ['body', member], msg: 'Not accepted here', type: 'value_error' }] },
});

/**
 * Refuses creations at a path if their bodies meet a condition, with an error about one member. No task is dispatched.
 */
function refusesFor(path: RegExp, member: string, isRefused: (body: JsonObject) => boolean): Tamper {
  const isMeant = ({ method, url, body }: Seen): boolean =>
    method === 'POST' && path.test(url) && isJsonObject(body) && isRefused(body);
  return {
    request: (seen) => (isMeant(seen) && isJsonObject(seen.body) ? { body: { ...seen.body, [member]: 7 } } : undefined),
    answer: (seen, { status }) => (isMeant(seen) && status === 422 ? refusal(member) : undefined),
  };
}

const idMembers = ['sessionId', 'profileId', 'workspaceId'];

/**
 * Removes the ids of sessions, profiles and workspaces from request bodies. The service then creates a new session or
 * workspace where it needs one, and uses no profile.
 */
const withoutIds: Tamper = {
  request: ({ method, body }) =>
    method === 'POST' && isJsonObject(body) && idMembers.some((name) => name in body)
      ? { body: Object.fromEntries(Object.entries(body).filter(([name]) => !idMembers.includes(name))) }
      : undefined,
};

/** Answers every twelfth selected request with the given status, whatever the request contains. */
function overloaded(status: number, isTaken: (seen: Seen, answer: Given) => boolean): Tamper {
  let count = 0;
  return {
    answer: (seen, given) => {
      if (!seen.url.startsWith('/api/') || !isTaken(seen, given)) return undefined;
      count += 1;
      return count % 12 === 0 ? { status, body: { detail: 'Try again' } } : undefined;
    },
  };
}

const isRead = ({ method }: Seen): boolean => method === 'GET';

/**
 * Returns true for refused creations of V2 and V3 tasks and sessions. If the answer to a successful creation were lost,
 * the suite could not identify the created resource.
 */
const isRefusedCreation = ({ method, url }: Seen, { status }: Given): boolean =>
  method === 'POST' && /^\/api\/v[23]\/(tasks|sessions)$/.test(url) && status >= 400;

const listName = (body: JsonObject): string | undefined =>
  ['items', 'runs', 'sessions'].find((name) => Array.isArray(body[name]));

/** Adds one resource of another client to every read of a list. */
const busyAccount: Tamper = {
  answer: ({ method, url }, { status, body }) => {
    if (method !== 'GET' || !/^\/api\/v[234]\/\w+(\?|$)/.test(url) || status !== 200 || !isJsonObject(body))
      return undefined;
    const name = listName(body);
    const items = name === undefined ? undefined : body[name];
    const [first] = Array.isArray(items) ? items : [];
    if (name === undefined || !Array.isArray(items)) return undefined;
    const other = { ...(isJsonObject(first) ? first : {}), id: crypto.randomUUID() };
    const totals = Object.entries(body).filter(
      ([member, value]) => member.startsWith('total') && typeof value === 'number',
    );
    return {
      body: {
        ...body,
        ...Object.fromEntries(totals.map(([member, n]) => [member, Number(n) + 1])),
        [name]: [other, ...items],
      },
    };
  },
};

/** Answers 404 to requests that are not selected, as if their operations did not exist. */
function serves(isServed: (seen: Seen) => boolean): Tamper {
  return { answer: (seen) => (isServed(seen) ? undefined : { status: 404, body: { detail: 'Not Found' } }) };
}

function titled(): Tamper {
  let count = 0;
  return records((record) => {
    count += 1;
    return typeof record['title'] === 'string' ? { ...record, title: `${record['title']} ${count}` } : record;
  });
}

/** Answers 404 to each fetch of a stopped browser. */
function forgetsBrowsers(): Tamper {
  const stopped = new Set<string>();
  return {
    answer: ({ method, url }, { status }) => {
      const id = /\/browsers\/([\w-]+)$/.exec(url)?.[1];
      if (id === undefined) return undefined;
      if (method === 'GET') return stopped.has(id) ? { status: 404, body: { detail: 'Session not found' } } : undefined;
      if (method === 'PATCH' && status === 200) stopped.add(id);
      return undefined;
    },
  };
}

const lateMs = 400;

/** Withholds each event until `lateMs` milliseconds after the time of the event. */
const lateEvents = (world: World): Tamper => ({
  answer: ({ url }, { status, body }) => {
    if (!/\/runs\/[\w-]+\/events/.test(url) || status !== 200 || !isJsonObject(body)) return undefined;
    const events = Array.isArray(body['events']) ? body['events'].filter(isJsonObject) : [];
    const shown = events.filter(({ ts }) => Date.parse(String(ts)) < world.now() - lateMs);
    const isCut = shown.length < events.length;
    const end = isCut ? { nextAfter: shown.at(-1)?.['id'] ?? null, hasMore: false } : {};
    return { body: { ...body, events: shown, ...end } };
  },
});

/** Shows no step of a one-shot V3 session, which is created without `keepAlive`. */
function withoutSteps(): Tamper {
  const isOneShot = ({ body }: Seen): boolean =>
    isJsonObject(body) && body['keepAlive'] !== true && body['sessionId'] === undefined;
  const ids = new Set<unknown>();
  return records((record, seen) => {
    if (seen.method === 'POST' && seen.url === '/api/v3/sessions' && isOneShot(seen)) ids.add(record['id']);
    return ids.has(record['id']) ? { ...record, stepCount: 0, lastStepSummary: null } : record;
  });
}

/**
 * Answers 402 to creations of a task, session or run with a key, if `isTaken` selects their number. The service
 * receives an invalid request instead, so that it creates nothing.
 */
function withoutCredit(isTaken: (count: number) => boolean): Tamper {
  let count = 0;
  const taken = new WeakSet<Seen>();
  return {
    request: (seen) => {
      if (seen.method !== 'POST' || !/^\/api\/v[234]\/(tasks|sessions|runs)$/.test(seen.url)) return undefined;
      // A missing key is refused first.
      if (seen.headers['x-service-api-key'] === undefined) return undefined;
      count += 1;
      if (!isTaken(count)) return undefined;
      taken.add(seen);
      return { body: { task: { unexpected: true } } };
    },
    answer: (seen, { status }) =>
      taken.has(seen) && status === 422 ? { status: 402, body: { detail: 'Insufficient credits' } } : undefined,
  };
}

/**
 * Withholds the result of a V4 run for `lateMs` milliseconds after the first response that shows the run as completed.
 */
function lateResults(world: World): Tamper {
  const endedMs = new Map<unknown, number>();
  return jobs('v4', (record) => {
    if (record['status'] !== 'completed') return record;
    const sinceMs = endedMs.get(record['id']) ?? world.now();
    endedMs.set(record['id'], sinceMs);
    return world.now() - sinceMs < lateMs ? { ...record, result: null } : record;
  });
}

/** Quotes each value in the lists of supported values. */
const quotedValues = details((detail) => ({
  ...detail,
  msg: String(detail['msg']).replace(
    /(Supported values: )(.*)$/,
    (_all, words: string, list: string) => words + list.replaceAll(/[\w-]+/g, "'$&'"),
  ),
}));

/**
 * Delays the appearance of V2 sessions in their list: the session of a created task is hidden at first. Each task
 * request that is answered 401 reveals one more hidden session.
 */
function lateSessions(): Tamper {
  const late: string[] = [];
  let shown = 0;
  return {
    answer: ({ method, url }, { status, body }) => {
      const isTask = method === 'POST' && url === '/api/v2/tasks';
      if (isTask && status === 401) shown += 1;
      if (isTask && status < 300 && isJsonObject(body)) late.push(String(body['sessionId']));
      if (method !== 'GET' || !/^\/api\/v2\/sessions(\?|$)/.test(url) || !isJsonObject(body)) return undefined;
      const hidden = late.slice(shown);
      const items = (body['items'] as JsonObject[]).filter(({ id }) => !hidden.includes(String(id)));
      return { body: { ...body, items } };
    },
  };
}

const namedGroups = details((detail) => ({
  ...detail,
  msg: String(detail['msg']).replace(
    /modelParams\.(\w+)\.([\w.]+)='([^']*)'(?=\. Supported values: ?$)/,
    `modelParams.$1='{"$2":"$3"}'`,
  ),
}));

/**
 * Changes the message of a refusal for a path that a model does not have. The template of the contract is about values,
 * so this message may differ.
 */
const unknownPaths = details((detail) => ({
  ...detail,
  msg: String(detail['msg']).replace(
    /^Model "([^"]*)" does not support modelParams\.[\w.]+='[^']*'\. Supported values: ?$/,
    'The model $1 has no such parameter.',
  ),
}));

const v3Models = new Set<unknown>(models.v3.models.map(({ name }) => name));

/** Answers 400 in place of 422 to an invalid V3 creation with `useOwnKey`, unless the creation names a listed model. */
const keyFirst: Tamper = {
  answer: (seen, { status }) => {
    const { useOwnKey, model } = readBody(seen);
    const isMeant = seen.method === 'POST' && seen.url === '/api/v3/sessions' && status === 422;
    return isMeant && useOwnKey === true && !v3Models.has(model)
      ? { status: 400, body: { detail: 'No provider key is stored' } }
      : undefined;
  },
};

/** Answers 400 in place of 422 to an invalid V3 follow-up that names a model. */
const sameModelOnly: Tamper = {
  answer: (seen, { status }) => {
    const { sessionId, model } = readBody(seen);
    const isOther = seen.method === 'POST' && seen.url === '/api/v3/sessions' && typeof sessionId === 'string';
    return isOther && model !== undefined && status === 422
      ? { status: 400, body: { detail: 'The model of a session stays' } }
      : undefined;
  },
};

const words: Readonly<Record<string, string>> = {
  queued: 'waiting',
  running: 'active',
  completed: 'succeeded',
  cancelled: 'aborted',
};

/** All legal choices. `npm run long -- seeds` judges each by all rows of the contract. */
export const legalChoices: readonly Choice[] = [
  {
    name: 'an overload of a moment, in reads',
    only: ['authentication', 'V3-GET-01', 'V3-GET-02', 'IDENTITY-03', 'EVT-01', 'PARITY-CLASSES', 'PARITY-BODIES'],
    tamper: () => overloaded(503, isRead),
  },
  {
    name: 'a gateway that has no answer for a moment',
    only: ['ERR-05', 'ERR-06', 'ERR-07', 'V2-THINK-REFUSES', 'V3-THINK-REFUSES', 'V3-CREATE-04', 'LIFE-02'],
    tamper: () => overloaded(502, isRefusedCreation),
  },
  {
    name: 'a gateway that has no answer to another key',
    only: ['TENANCY-03', 'KEYS-31', 'KEYS-32'],
    tamper: {
      answer: (seen, given) =>
        isRefusedCreation(seen, given) && isForeign(seen)
          ? { status: 502, body: { detail: 'Bad Gateway' } }
          : undefined,
    },
  },
  { name: 'titles that are written anew', only: ['V3-HISTORY-11', 'V3-HISTORY-14'], tamper: titled },
  {
    name: 'records that are brought up to date with every fetch',
    only: ['V3-HISTORY-11'],
    tamper: (world) => records((record) => ({ ...record, updatedAt: new Date(world.now()).toISOString() })),
  },
  {
    name: 'a country that is shown while its proxy is in use',
    only: ['V3-HISTORY-06', 'V3-HISTORY-15', 'V3-CREATE-15', 'VALUE-CONSTANT', 'VALUE-SETTLED'],
    tamper: records((record) =>
      record['status'] === 'stopped' ? { ...record, proxyCountryCode: null, inboxEmail: null } : record,
    ),
  },
  { name: 'a task without a step', only: ['LIFE-13', 'LIFE-14', 'V3-HISTORY-14'], tamper: withoutSteps },
  {
    name: 'an empty summary of a program',
    only: ['V3-SESSION-11', 'V3-CREATE-09'],
    tamper: records(({ output, ...record }) => ({
      ...record,
      output: isJsonObject(output) && 'code' in output ? { ...output, text: '', output: null } : (output ?? null),
    })),
  },
  {
    name: 'a subset of JSON Schema',
    only: ['V3-THINK-24', 'V3-CREATE-05', 'VER-09', 'V3-THINK-ACCEPTS', 'V3-FOLLOW-01', 'V3-HISTORY-15'],
    tamper: refusesFor(/v3\/sessions$/, 'outputSchema', ({ outputSchema }) => isJsonObject(outputSchema)),
  },
  {
    name: 'a short limit of the text of a task',
    only: ['ERR-09', 'ERR-10', 'ERR-12'],
    tamper: refusesFor(/v[234]\/(tasks|sessions|runs)$/, 'task', ({ task }) => String(task ?? '').length > 1000),
  },
  {
    name: 'models that are not offered',
    only: ['ERR-12', 'ERR-13'],
    promises: ['V4-PARAMS-ACCEPTS', 'V4-MODELS-ACCEPTED'],
    tamper: refusesFor(/v4\/runs$/, 'model', ({ model }) => model === 'gpt-5.6' || model === 'kimi-k3'),
  },
  {
    name: 'a V2 model that has to be named',
    only: ['V2-TASK-01', 'V2-TASK-04', 'VER-08'],
    tamper: refusesFor(/v2\/tasks$/, 'llm', (body) => !('llm' in body)),
  },
  {
    name: 'an account that other clients use',
    only: ['EFFECT-01', 'ERR-15', 'MAP-01', 'KEYS-23', 'KEYS-33'],
    tamper: busyAccount,
  },
  {
    name: 'tasks and runs that are fetched elsewhere',
    only: ['IDENTITY-03', 'V2-TASK-01', 'V4-RUN-01'],
    tamper: serves(({ method, url }) => method !== 'GET' || !/^\/api\/v[24]\/(tasks|runs)\/[\w-]+/.test(url)),
  },
  { name: 'events that come late', only: ['EVT-01', 'EVT-03', 'EVT-04'], tamper: lateEvents },
  {
    name: 'unknown ids in creations that are ignored',
    only: ['EFFECT-01'],
    tamper: withoutIds,
  },
  {
    name: '403 for what does not exist',
    only: [
      'V4-BROWSER-21',
      'V3-CREATE-01',
      'V3-CREATE-08',
      'V2-TASK-01',
      'V4-RUN-01',
      'V2-THINK-ACCEPTS',
      'V4-PARAMS-ACCEPTS',
      'V4-PARAMS-37',
    ],
    tamper: { answer: (_seen, { status }) => (status === 404 ? { status: 403 } : undefined) },
  },
  {
    name: 'status words of runs that the target file does not name',
    only: ['V4-RUN-01', 'V4-RUN-25', 'V4-RUN-33', 'V4-PARAMS-34'],
    tamper: jobs('v4', (record) => ({ ...record, status: words[String(record['status'])] ?? 'unknown' })),
    // The run waits for each task until this deadline.
    targetFile: (text) => text.replace(/taskDeadlineMs: \d+/, 'taskDeadlineMs: 3000'),
  },
  {
    name: 'an account whose credit is used up for a moment',
    only: ['ERR-05', 'ERR-08', 'MAP-15', 'V2-TASK-05', 'V3-CREATE-04', 'V3-ENUM-02', 'V3-THINK-29'],
    tamper: () => withoutCredit((count) => count % 7 === 0),
  },
  {
    name: 'an account without credit',
    only: ['ERR-05', 'ERR-08', 'V2-TASK-05', 'V3-CREATE-04', 'V3-ENUM-02', 'VER-07'],
    tamper: withoutCredit(() => true),
  },
  { name: 'results of runs that follow their end', only: ['V4-RUN-26', 'V4-RUN-28'], tamper: lateResults },
  {
    name: 'supported values between quotation marks',
    only: ['ERR-10', 'ERR-11', 'ERR-13', 'ERR-14', 'V4-SES-11'],
    tamper: quotedValues,
  },
  {
    name: 'sessions of tasks that appear in a list later',
    only: ['EFFECT-01', 'V2-THINK-ACCEPTS'],
    tamper: lateSessions,
  },
  {
    name: 'refusals that name the group of a path that the model does not accept',
    only: ['ERR-12', 'ERR-13', 'ERR-14'],
    tamper: namedGroups,
  },
  {
    name: 'useOwnKey is refused for a missing key where no listed model is named',
    only: ['ERR-05', 'V3-ENUM-02', 'V3-ENUM-03', 'V3-CREATE-04'],
    tamper: () => keyFirst,
  },
  {
    name: 'follow-ups that name another model are refused for that',
    only: ['V3-FOLLOW-05', 'V3-THINK-29'],
    tamper: () => sameModelOnly,
  },
  {
    name: 'paths of modelParams that a model does not have, refused in words of the service',
    only: ['ERR-12', 'ERR-13', 'ERR-14', 'V4-PARAMS-27', 'V4-PARAMS-REFUSES'],
    tamper: () => unknownPaths,
  },
  { name: 'stopped browsers that are forgotten', server: 'scripted', only: ['browsers'], tamper: forgetsBrowsers },
  {
    name: 'browsers without a record',
    server: 'scripted',
    only: ['browsers'],
    tamper: serves(({ method, url }) => method !== 'GET' || !/^\/api\/v[234]\/browsers/.test(url)),
  },
  {
    name: 'a workspace that accepts uploads some time after its session has become idle',
    only: ['LIFE-04'],
    tamper: refusesUploads(409, 2),
  },
  {
    name: 'a project that may create one browser, and no second one with or without a profile',
    server: 'scripted',
    only: ['SVC-06'],
    tamper: () => {
      let created = 0;
      return {
        answer: ({ method, url }) => {
          if (method !== 'POST' || url !== '/api/v4/browsers') return undefined;
          created += 1;
          return created > 1 ? { status: 403, body: { detail: 'Quota' } } : undefined;
        },
      };
    },
  },
  {
    name: 'sessions that accept no profile',
    only: ['SVC-06'],
    tamper: refusesFor(/^\/api\/v3\/sessions$/, 'profileId', ({ profileId }) => profileId !== undefined),
  },
  {
    name: 'uploads that the service cannot take at the moment',
    only: ['LIFE-04'],
    tamper: refusesUploads(503),
  },
  {
    name: 'tasks that have ended before the answer to their creation comes',
    only: ['SVC-07', 'V3-SESSION-24', 'v4-queue'],
    tamper: {
      delayMs: ({ method, url }) => (method === 'POST' && /\/(sessions|tasks|runs|queue)(\?|$)/.test(url) ? 300 : 0),
    },
  },
  ...recordChoices,
  ...formChoices,
];
