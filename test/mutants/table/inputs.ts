import { isJsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { answers, created, jobs, omit, refuses, sent } from '../tampers.ts';

const known = new Set(defaultRules.models.v3.models.map((model) => model.name));
const levelWords = ['disabled', 'low', 'medium', 'high'];
const coerced = ['V3-CREATE-17', 'ERR-05'] as const;

/** Accepts wrong values of a member by dropping them from the request. */
function lenient(path: string, name: string, fits: (value: unknown) => boolean): Tamper {
  return sent(path, (body) => (name in body && !fits(body[name]) ? omit(body, name) : body));
}

/** Answers 404 in place of 422 for a malformed session id. */
const malformedAs404: Tamper = {
  answer: (seen, { status }) =>
    seen.method === 'GET' && status === 422 && seen.url.includes('/sessions/')
      ? { status: 404, body: { detail: 'Session not found' } }
      : undefined,
};

/** Answers 500 to selected creations at a path. */
function fallsOver(path: string, at: (seen: Seen) => boolean): Tamper {
  const fallen = { status: 500, body: { detail: 'Internal Server Error' } };
  return { answer: (seen) => (seen.method === 'POST' && seen.url === path && at(seen) ? fallen : undefined) };
}

/** Changes the OpenAPI document of V3. */
function description(change: (document: Record<string, unknown>) => Record<string, unknown>): Tamper {
  return {
    answer: (seen, { body }) =>
      seen.url === '/openapi/v3.json' && isJsonObject(body) ? { body: change(body) } : undefined,
  };
}

/** Servers that accept invalid input or refuse it wrongly. */
export const inputMutants: readonly Mutant[] = [
  {
    id: 'any-model',
    breaks: 'V3 accepts any model name.',
    server: 'reference',
    target: 'V3-CREATE-04',
    mayAlso: ['V3-ENUM-03', ...coerced],
    tamper: created((body) =>
      typeof body['model'] === 'string' && !known.has(body['model']) ? omit(body, 'model') : body,
    ),
  },
  {
    id: 'any-level',
    breaks: 'V3 accepts any thinking level.',
    server: 'reference',
    target: 'V3-ENUM-02',
    mayAlso: ['V3-FOLLOW-06', ...coerced],
    tamper: lenient(
      '/api/v3/sessions',
      'thinkingLevel',
      (value) => value === null || (typeof value === 'string' ? levelWords.includes(value) : true),
    ),
  },
  {
    id: 'upper-case-country',
    breaks: 'A country code in upper case is accepted.',
    server: 'reference',
    target: 'V3-ENUM-05',
    mayAlso: ['V3-ENUM-04', ...coerced],
    tamper: created((body) =>
      typeof body['proxyCountryCode'] === 'string'
        ? { ...body, proxyCountryCode: body['proxyCountryCode'].toLowerCase() }
        : body,
    ),
  },
  {
    id: 'country-gb',
    breaks: 'Unlisted country codes are accepted.',
    server: 'reference',
    target: 'V3-ENUM-04',
    mayAlso: ['V3-ENUM-05', ...coerced],
    tamper: lenient(
      '/api/v3/sessions',
      'proxyCountryCode',
      (value) => value === null || typeof value !== 'string' || ['us', 'de'].includes(value),
    ),
  },
  {
    id: 'keep-alive-text',
    breaks: 'keepAlive accepts a value of any type.',
    server: 'reference',
    target: 'V3-CREATE-17',
    mayAlso: ['V3-FOLLOW-07', ...coerced],
    tamper: lenient('/api/v3/sessions', 'keepAlive', (value) => typeof value === 'boolean'),
  },
  {
    id: 'task-number',
    breaks: 'task accepts a value of any type.',
    server: 'reference',
    target: 'V3-CREATE-17',
    mayAlso: ['V3-CREATE-02', 'ERR-05'],
    tamper: lenient('/api/v3/sessions', 'task', (value) => value === null || typeof value === 'string'),
  },
  {
    id: 'id-not-checked',
    breaks: 'A malformed session id is answered with 404.',
    server: 'reference',
    target: 'V3-GET-02',
    mayAlso: ['ERR-05'],
    tamper: malformedAs404,
  },
  {
    id: 'validation-is-400',
    breaks: 'A failed validation is answered with 400.',
    server: 'reference',
    target: 'ERR-05',
    mayAlso: [
      'V2-TASK-05',
      'ERR-06',
      'V3-FOLLOW-06',
      'V3-FOLLOW-07',
      'MAP-13',
      'V3-GET-03',
      'ERR-09',
      'ERR-10',
      'ERR-11',
      'MAP-01',
      'V3-CREATE-02',
      'V3-CREATE-04',
      'V3-CREATE-17',
      'V3-ENUM-02',
      'V3-ENUM-03',
      'V3-ENUM-04',
      'V3-ENUM-05',
      'V3-GET-02',
      'V3-THINK-25',
      'V3-THINK-29',
      'ERR-07',
      'ERR-08',
      'MAP-06',
      'MAP-11',
      'MAP-15',
      'V2-TASK-02',
      'V2-TASK-03',
      'V2-TASK-07',
      'V2-THINK-30',
      'V2-THINK-31',
      'V2-THINK-REFUSES',
      'V4-PARAMS-REFUSES',
      'V4-RUN-02',
      'V4-RUN-03',
      'V4-RUN-24',
      'V3-THINK-REFUSES',
      'VER-07',
      'V2-THINK-33',
      'V2-THINK-34',
      'V4-PARAMS-27',
      'V4-PARAMS-35',
      'V3-FOLLOW-05',
    ],
    tamper: answers(422, () => ({ status: 400 })),
  },
  {
    id: 'v4-no-task',
    breaks: 'V4 creates a run without a task.',
    server: 'mock',
    target: 'V4-RUN-02',
    mayAlso: ['ERR-05'],
    tamper: sent('/api/v4/runs', (body) => ('task' in body ? body : { ...body, task: 'x' })),
  },
  {
    id: 'v4-model-number',
    breaks: 'V4 accepts a model of any type.',
    server: 'mock',
    target: 'V4-RUN-03',
    mayAlso: ['ERR-05'],
    tamper: lenient('/api/v4/runs', 'model', (value) => typeof value === 'string'),
  },
  {
    id: 'v4-params-text',
    breaks: 'V4 accepts modelParams of any type.',
    server: 'mock',
    target: 'V4-RUN-24',
    mayAlso: ['ERR-05'],
    tamper: lenient('/api/v4/runs', 'modelParams', (value) => value === null || isJsonObject(value)),
  },
  {
    id: 'v4-browser-country',
    breaks: 'Browser creation accepts any country.',
    server: 'mock',
    target: 'V4-BROWSER-13',
    mayAlso: ['V3-ENUM-04', 'V3-ENUM-05', 'ERR-05'],
    tamper: lenient('/api/v4/browsers', 'proxyCountryCode', (value) => value === null || value === 'us'),
  },
  {
    id: 'v4-browser-action',
    breaks: 'PATCH of a browser accepts any action.',
    server: 'scripted',
    target: 'V4-BROWSER-21',
    mayAlso: ['V4-BROWSER-25'],
    tamper: {
      request: (seen) =>
        seen.method === 'PATCH' && seen.url.startsWith('/api/v4/browsers/') ? { body: { action: 'stop' } } : undefined,
    },
  },
  {
    id: 'v2-task-number',
    breaks: 'V2 accepts a task of any type.',
    server: 'mock',
    target: 'V2-TASK-02',
    mayAlso: ['ERR-05'],
    tamper: sent('/api/v2/tasks', (body) =>
      typeof body['task'] === 'string' || !('task' in body) ? body : { ...body, task: 'x' },
    ),
  },
  {
    id: 'v2-llm-number',
    breaks: 'V2 accepts an llm of any type.',
    server: 'mock',
    target: 'V2-TASK-03',
    mayAlso: ['ERR-05'],
    tamper: lenient('/api/v2/tasks', 'llm', (value) => typeof value === 'string'),
  },
  {
    id: 'v2-thinking-replaces',
    breaks: 'With the legacy parameter thinking, any level is accepted.',
    server: 'mock',
    target: 'V2-TASK-07',
    mayAlso: ['ERR-05', 'ERR-07', 'MAP-11', 'V2-THINK-31', 'V2-THINK-REFUSES', 'V3-ENUM-02'],
    tamper: sent('/api/v2/tasks', (body) => ('thinking' in body ? omit(body, 'thinkingLevel') : body)),
  },
  {
    id: 'described-as-3.1',
    breaks: 'The published OpenAPI document states another version.',
    server: 'reference',
    target: 'VER-02',
    tamper: description((document) => ({
      ...document,
      info: { ...(isJsonObject(document['info']) ? document['info'] : {}), version: '3.1.0' },
    })),
  },
  {
    id: 'described-elsewhere',
    breaks: 'The published OpenAPI document states another path prefix.',
    server: 'reference',
    target: 'VER-03',
    tamper: description((document) => ({ ...document, servers: [{ url: 'https://api.svc.example/v3' }] })),
  },
  {
    id: 'null-model-crashes',
    breaks: 'V3 answers 500 when model is null.',
    server: 'reference',
    target: 'ERR-05',
    tamper: fallsOver('/api/v3/sessions', ({ body }) => isJsonObject(body) && body['model'] === null),
  },
  {
    id: 'list-body-crashes',
    breaks: 'V4 answers 500 when the body of a run is a list.',
    server: 'reference',
    target: 'ERR-05',
    tamper: fallsOver('/api/v4/runs', ({ body }) => Array.isArray(body)),
  },
  {
    id: 'v2-model-of-v3',
    breaks: 'V2 accepts the V3 name claude-opus-4.7 as llm.',
    server: 'reference',
    target: 'V2-TASK-03',
    mayAlso: coerced,
    tamper: lenient('/api/v2/tasks', 'llm', (value) => value !== 'claude-opus-4.7'),
  },
  {
    id: 'v3-model-empty',
    breaks: 'V3 accepts an empty string as model.',
    server: 'reference',
    target: 'V3-CREATE-17',
    mayAlso: coerced,
    tamper: lenient('/api/v3/sessions', 'model', (value) => value !== ''),
  },
  {
    id: 'v3-ceiling-word',
    breaks: 'V3 accepts any string as maxCostUsd.',
    server: 'reference',
    target: 'ERR-05',
    tamper: lenient('/api/v3/sessions', 'maxCostUsd', (value) => !/^[a-z-]+$/.test(String(value))),
  },
  {
    id: 'capital-id-malformed',
    breaks: 'A session id in capital letters is answered 422.',
    server: 'reference',
    target: 'V3-GET-06',
    tamper: {
      answer: (seen) =>
        seen.method === 'GET' && /^\/api\/v3\/sessions\/[0-9A-F-]{36}$/.test(seen.url) && /[A-F]/.test(seen.url)
          ? { status: 422, body: { detail: [{ loc: ['path', 'session_id'], msg: 'no uuid', type: 'uuid_parsing' }] } }
          : undefined,
    },
  },
  {
    id: 'v3-task-false',
    breaks: 'V3 takes a task that is false as no task.',
    server: 'reference',
    target: 'V3-CREATE-17',
    mayAlso: coerced,
    tamper: lenient('/api/v3/sessions', 'task', (value) => value !== false),
  },
  {
    id: 'v3-schema-empty-text',
    breaks: 'V3 takes an empty text as no output schema.',
    server: 'reference',
    target: 'V3-CREATE-17',
    mayAlso: coerced,
    tamper: lenient('/api/v3/sessions', 'outputSchema', (value) => value !== ''),
  },
  {
    id: 'v4-params-empty-text',
    breaks: 'V4 takes an empty text as no modelParams.',
    server: 'reference',
    target: 'V4-RUN-24',
    mayAlso: coerced,
    tamper: lenient('/api/v4/runs', 'modelParams', (value) => value !== ''),
  },
  {
    id: 'v2-thinking-text',
    breaks: 'V2 accepts strings as thinking.',
    server: 'reference',
    target: 'ERR-05',
    mayAlso: ['V2-TASK-05'],
    tamper: lenient('/api/v2/tasks', 'thinking', (value) => typeof value !== 'string'),
  },
  {
    id: 'model-located-at-task',
    breaks: 'The location of an unknown V2 model is the task.',
    server: 'mock',
    target: 'ERR-05',
    tamper: {
      answer: (seen, { status, body }) =>
        status === 422 && seen.url === '/api/v2/tasks' && JSON.stringify(body).includes('"llm"')
          ? { body: { detail: [{ loc: ['body', 'task'], msg: 'Unknown model', type: 'enum' }] } }
          : undefined,
    },
  },
  {
    id: 'null-body-500',
    breaks: 'A V4 run whose body is null is answered 500.',
    server: 'mock',
    target: 'ERR-05',
    tamper: fallsOver('/api/v4/runs', ({ body }) => body === null),
  },
  {
    id: 'browser-body-in-an-array',
    breaks: 'A browser creation accepts an array with one body.',
    server: 'mock',
    target: 'ERR-05',
    tamper: {
      request: (seen) =>
        seen.method === 'POST' && seen.url === '/api/v4/browsers' && Array.isArray(seen.body)
          ? { body: {} }
          : undefined,
    },
  },
  {
    id: 'undated-model',
    breaks: 'V2 accepts a dated claude model without its date.',
    server: 'mock',
    target: 'V2-TASK-03',
    mayAlso: ['ERR-05'],
    tamper: sent('/api/v2/tasks', (body) =>
      typeof body['llm'] === 'string' && /^claude-(sonnet-4|sonnet-4-5|opus-4-5)$/.test(body['llm'])
        ? omit(body, 'llm')
        : body,
    ),
  },
  {
    id: 'empty-output',
    breaks: 'The output of a finished V2 task is empty.',
    server: 'reference',
    target: 'SVC-01',
    only: ['SVC-01'],
    tamper: jobs('v2', (record) => (record['status'] === 'finished' ? { ...record, output: '' } : record)),
  },
  {
    id: 'thinking-beside-disabled',
    breaks: 'V2 refuses thinking true beside the level disabled.',
    server: 'reference',
    target: 'V2-TASK-05',
    mayAlso: ['VER-08'],
    only: ['V2-TASK-05', 'VER-08'],
    tamper: {
      answer: (seen) =>
        seen.method === 'POST' &&
        isJsonObject(seen.body) &&
        seen.body['thinking'] === true &&
        seen.body['thinkingLevel'] === 'disabled' &&
        seen.body['llm'] === 'svc-2.0'
          ? { status: 422, body: { detail: [{ loc: ['body'], msg: 'Not today', type: 'value_error' }] } }
          : undefined,
    },
  },
  {
    id: 'v3-model-behind-provider',
    breaks: 'V3 takes the name of a model behind that of its provider.',
    server: 'reference',
    target: 'V3-CREATE-04',
    mayAlso: ['V3-ENUM-03', ...coerced],
    tamper: created((body) =>
      typeof body['model'] === 'string' ? { ...body, model: body['model'].replace(/^\w+\//, '') } : body,
    ),
  },
  {
    id: 'v3-level-auto',
    breaks: 'V3 takes auto for no level.',
    server: 'reference',
    target: 'ERR-05',
    mayAlso: ['V3-ENUM-02', ...coerced],
    tamper: lenient('/api/v3/sessions', 'thinkingLevel', (value) => value !== 'auto'),
  },
  {
    id: 'v3-own-key-null',
    breaks: 'V3 serves a model that needs the own-key option with useOwnKey null.',
    server: 'reference',
    target: 'V3-OWN-KEY',
    mayAlso: ['BYOK-02'],
    tamper: created((body) => (body['useOwnKey'] === null ? omit(omit(body, 'useOwnKey'), 'model') : body)),
  },
  {
    id: 'v3-level-refused-in-creations',
    breaks: 'gpt-5.4-mini refuses low in creations and takes it in follow-ups.',
    server: 'reference',
    only: ['V3-THINK-ACCEPTS'],
    target: 'V3-THINK-ACCEPTS',
    tamper: refusesInCreation('gpt-5.4-mini', 'low'),
  },
  {
    id: 'v4-effort-object',
    breaks: 'V4 does not check values of modelParams that are objects.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'V4-PARAMS-27'],
    tamper: sent('/api/v4/runs', (body) => (isNested(body['modelParams'], 3) ? omit(body, 'modelParams') : body)),
  },
  {
    id: 'v4-params-beside-secrets',
    breaks: 'V4 does not check modelParams when secrets are given.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'ERR-12', 'ERR-13', 'V4-PARAMS-27'],
    tamper: sent('/api/v4/runs', (body) => ('secretBindings' in body ? omit(body, 'modelParams') : body)),
  },
  {
    id: 'missing-task-located-at-model',
    breaks: 'The location of the missing task of a V4 run is the model.',
    server: 'mock',
    target: 'V4-RUN-02',
    tamper: {
      answer: (seen, { status, body }) =>
        status === 422 && seen.url === '/api/v4/runs' && isJsonObject(seen.body) && !('task' in seen.body)
          ? { body: JSON.parse(JSON.stringify(body).replace('"task"', '"model"')) as unknown }
          : undefined,
    },
  },
  {
    id: 'refusal-declared-as-html',
    breaks: 'A 422 declares its JSON as HTML.',
    server: 'mock',
    target: 'GEN-02',
    tamper: {
      answer: (_seen, { status, headers }) =>
        status === 422 ? { headers: { ...headers, 'content-type': 'text/html' } } : undefined,
    },
  },
  {
    id: 'v3-own-key-snake-false',
    breaks: 'V3 serves a model that needs the own-key option with use_own_key false.',
    server: 'reference',
    only: ['V3-OWN-KEY', 'BYOK-02'],
    target: 'V3-OWN-KEY',
    mayAlso: ['BYOK-02'],
    tamper: created((body) => (body['use_own_key'] === false ? omit(omit(body, 'use_own_key'), 'model') : body)),
  },
  {
    id: 'v3-own-key-model-refused',
    breaks: 'V3 refuses a model that needs the own-key option although its key is stored.',
    server: 'providers',
    only: ['V3-THINK-ACCEPTS'],
    target: 'V3-THINK-ACCEPTS',
    tamper: refuses('/api/v3/sessions', (body) => body['useOwnKey'] === true),
  },
  {
    id: 'v3-level-of-v4',
    breaks: 'claude-sonnet-5 takes the levels of V4 in V3.',
    server: 'reference',
    only: ['V3-ENUM-02'],
    target: 'V3-ENUM-02',
    tamper: created((body) =>
      body['model'] === 'claude-sonnet-5' && ['xhigh', 'max'].includes(String(body['thinkingLevel']))
        ? omit(body, 'thinkingLevel')
        : body,
    ),
  },
  {
    id: 'v3-stop-of-a-word',
    breaks: 'The stop of an id that is a word answers 200.',
    server: 'reference',
    only: ['ERR-05'],
    target: 'ERR-05',
    tamper: {
      answer: (seen) =>
        seen.method === 'POST' && seen.url === '/api/v3/sessions/not-a-uuid/stop'
          ? { status: 200, body: { status: 'stopped' } }
          : undefined,
    },
  },
  {
    id: 'v4-dotted-names',
    breaks: 'V4 takes any value of modelParams under a name with dots.',
    server: 'reference',
    only: ['V4-PARAMS-27'],
    target: 'V4-PARAMS-27',
    tamper: sent('/api/v4/runs', (body) => {
      const params = body['modelParams'];
      const isDotted = isJsonObject(params) && Object.keys(params).some((name) => name.includes('.'));
      return isDotted ? omit(body, 'modelParams') : body;
    }),
  },
  {
    id: 'v4-model-wants-params',
    breaks: 'minimax-m3 is refused in V4.',
    server: 'reference',
    only: ['V4-MODELS-ACCEPTED'],
    target: 'V4-MODELS-ACCEPTED',
    tamper: {
      answer: ({ method, url, body }, { status }) => {
        const isOne =
          method === 'POST' && url === '/api/v4/runs' && isJsonObject(body) && body['model'] === 'minimax-m3';
        const detail = [{ loc: ['body'], msg: 'Not available', type: 'value_error' }];
        return isOne && status !== 422 ? { status: 422, body: { detail } } : undefined;
      },
    },
  },
  {
    id: 'charset-ignored',
    breaks: 'A body is ignored when its media type states a character set.',
    server: 'reference',
    target: 'ERR-05',
    mayAlso: ['V3-THINK-REFUSES'],
    tamper: {
      request: ({ method, headers }) =>
        method === 'POST' && String(headers['content-type']).includes('charset') ? { body: {} } : undefined,
    },
  },
  {
    id: 'v3-id-of-hex-and-dashes',
    breaks: 'A session id of 36 digits and dashes in any order is taken for a uuid and not found.',
    server: 'reference',
    target: 'V3-GET-02',
    tamper: {
      answer: ({ method, url }, { status }) =>
        method === 'GET' && status === 422 && /^\/api\/v3\/sessions\/[\da-f-]{36}$/.test(url)
          ? { status: 404, body: { detail: 'Session not found' } }
          : undefined,
    },
  },
  {
    id: 'charset-without-levels',
    breaks: 'A level is ignored when the media type of the body states a character set.',
    server: 'reference',
    target: 'ERR-05',
    mayAlso: ['V3-THINK-REFUSES'],
    tamper: {
      request: ({ method, url, headers, body }) =>
        method === 'POST' &&
        url.startsWith('/api/v3/sessions') &&
        String(headers['content-type']).includes('charset') &&
        isJsonObject(body)
          ? { body: { ...body, thinkingLevel: null } }
          : undefined,
    },
  },
  {
    id: 'model-constructor-500',
    breaks: 'A model with the name of a member of every object is 500.',
    server: 'reference',
    target: 'V3-CREATE-04',
    mayAlso: ['V3-ENUM-03', 'ERR-05'],
    tamper: fallsOver('/api/v3/sessions', ({ body }) => isJsonObject(body) && body['model'] === 'constructor'),
  },
  {
    id: 'v3-id-percent-500',
    breaks: 'A session id with characters that the path encodes is 500.',
    server: 'reference',
    target: 'V3-GET-02',
    tamper: {
      answer: ({ method, url }) =>
        method === 'GET' && /^\/api\/v3\/sessions\/[^/?]*%/.test(url)
          ? { status: 500, body: { detail: 'Internal Server Error' } }
          : undefined,
    },
  },
];

/**
 * Refuses creations with this model and this level with 422, even if they contain an unknown id, which would get
 * another refusal.
 */
function refusesInCreation(model: string, level: string): Tamper {
  const detail = [{ loc: ['body', 'thinkingLevel'], msg: 'Not available', type: 'value_error' }];
  return {
    answer: ({ method, url, body }, { status }) => {
      if (method !== 'POST' || url !== '/api/v3/sessions' || !isJsonObject(body)) return undefined;
      const isOne = body['model'] === model && body['thinkingLevel'] === level && status !== 422;
      return isOne ? { status: 422, body: { detail } } : undefined;
    },
  };
}

/**
 * Returns true for an object that contains objects nested to `depth` levels, counting the object itself. Does not
 * search lists.
 */
function isNested(value: unknown, depth: number): boolean {
  if (!isJsonObject(value)) return false;
  return depth === 1 || Object.values(value).some((inner) => isNested(inner, depth - 1));
}
