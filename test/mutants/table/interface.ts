import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Given, Mutant, Seen, Tamper } from '../mutant.ts';
import { sent } from '../tampers.ts';

const reference = { server: 'reference', only: ['interface'] } as const;
const account = { server: 'reference', only: ['account'] } as const;
const header = 'x-service-api-key';

/** Changes refusals with a given status. */
function refusal(status: number, change: (body: unknown, seen: Seen) => Partial<Given> | undefined): Tamper {
  return { answer: (seen, given) => (given.status === status ? change(given.body, seen) : undefined) };
}

/** Changes successful answers about the billing account. */
function accounts(change: (body: JsonObject, seen: Seen) => JsonObject): Tamper {
  return {
    answer: (seen, { status, body }) =>
      seen.url.endsWith('/billing/account') && status === 200 && isJsonObject(body)
        ? { body: change(body, seen) }
        : undefined,
  };
}

/** Returns a copy of a body without the unknown member that the suite has added to its objects. */
function without(body: unknown): unknown {
  if (Array.isArray(body)) return body.map((item) => without(item));
  if (!isJsonObject(body)) return body;
  const known = Object.entries(body).filter(([name]) => name !== 'svcCheckUnknown');
  return Object.fromEntries(known.map(([name, value]) => [name, without(value)]));
}

const unknown = { loc: ['body', 'svcCheckUnknown'], msg: 'Unknown field svcCheckUnknown', type: 'extra_forbidden' };

/** Refuses bodies that contain the unknown member which the suite adds. */
function closes(path: RegExp): Tamper {
  return {
    request: ({ url, body }) =>
      path.test(url) && JSON.stringify(body).includes('svcCheckUnknown') ? { body: '[' } : undefined,
    answer: ({ url, body }, { status }) =>
      path.test(url) && status === 422 && JSON.stringify(body).includes('svcCheckUnknown')
        ? { body: { detail: [unknown] } }
        : undefined,
  };
}

/** Servers that violate rules of the companion for all operations. */
export const interfaceMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'interface-number-as-text',
    breaks: 'maxSteps of a V2 task accepts any text.',
    target: 'INTERFACE-11',
    tamper: sent('/api/v2/tasks', (body) => (typeof body['maxSteps'] === 'string' ? { ...body, maxSteps: 5 } : body)),
  },
  {
    ...reference,
    id: 'interface-largest-refused',
    breaks: 'The largest maxSteps of a V2 task is refused.',
    target: 'INTERFACE-12',
    tamper: {
      answer: ({ url, body }) =>
        url === '/api/v2/tasks' && isJsonObject(body) && body['maxSteps'] === 10_000
          ? { status: 422, body: { detail: [{ loc: ['body', 'maxSteps'], msg: 'Too many', type: 'value_error' }] } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'interface-403-without-key',
    breaks: 'A request without a key is answered with 403.',
    target: 'INTERFACE-01',
    mayAlso: ['INTERFACE-02'],
    tamper: refusal(401, () => ({ status: 403 })),
  },
  {
    ...reference,
    id: 'interface-one-open-door',
    breaks: 'The size of a workspace is served without a key.',
    target: 'INTERFACE-01',
    tamper: {
      request: (seen) => (seen.url.endsWith('/size') ? { headers: { ...seen.headers, [header]: testKey } } : undefined),
    },
  },
  {
    ...reference,
    id: 'interface-wrong-key-403',
    breaks: 'A wrong key is answered with 403.',
    target: 'INTERFACE-02',
    tamper: refusal(401, (_body, seen) => (seen.headers[header] === undefined ? undefined : { status: 403 })),
  },
  {
    ...reference,
    id: 'interface-bearer-400',
    breaks: 'A bearer token is answered with 400.',
    target: 'INTERFACE-02',
    tamper: refusal(401, (_body, seen) => (seen.headers['authorization'] === undefined ? undefined : { status: 400 })),
  },
  {
    ...reference,
    id: 'interface-route-text',
    breaks: 'An unknown route is answered with an error text of its own.',
    target: 'INTERFACE-03',
    tamper: refusal(404, (_body, { url }) =>
      url.includes('no-such-route') ? { body: { detail: `Cannot GET ${url}` } } : undefined,
    ),
  },
  {
    ...reference,
    id: 'interface-browser-not-found',
    breaks: 'The error text for an unknown profile is only "Not Found".',
    target: 'INTERFACE-04',
    tamper: refusal(404, (_body, { url }) =>
      url.includes('/profiles/') ? { body: { detail: 'Not Found' } } : undefined,
    ),
  },
  {
    ...reference,
    id: 'interface-missing-403',
    breaks: 'An unknown task is answered with 403.',
    target: 'INTERFACE-04',
    mayAlso: ['INTERFACE-09'],
    tamper: refusal(404, (_body, { url }) => (url.includes('/tasks/') ? { status: 403 } : undefined)),
  },
  {
    ...reference,
    id: 'interface-detail-object',
    breaks: 'The detail of a 404 is an object.',
    target: 'INTERFACE-05',
    mayAlso: ['INTERFACE-03', 'INTERFACE-04'],
    tamper: refusal(404, (body) => ({ body: { detail: body } })),
  },
  {
    ...reference,
    id: 'interface-error-member',
    breaks: 'A 404 says "error" instead of "detail".',
    target: 'INTERFACE-05',
    mayAlso: ['INTERFACE-03', 'INTERFACE-04'],
    tamper: refusal(404, () => ({ body: { error: 'Not Found' } })),
  },
  {
    ...reference,
    id: 'interface-missing-text',
    breaks: 'A 404 is plain text.',
    target: 'INTERFACE-05',
    mayAlso: ['INTERFACE-03', 'INTERFACE-04'],
    tamper: refusal(404, () => ({ headers: { 'content-type': 'text/plain' }, body: 'not found' })),
  },
  {
    ...reference,
    id: 'interface-profiles-closed',
    breaks: 'The creation of a profile refuses an undocumented member.',
    target: 'INTERFACE-06',
    tamper: closes(/\/profiles/),
  },
  {
    ...reference,
    id: 'interface-workspaces-closed',
    breaks: 'The creation of a V3 workspace refuses an undocumented member.',
    target: 'INTERFACE-06',
    tamper: closes(/v3\/workspaces/),
  },
  {
    ...reference,
    id: 'interface-tasks-closed',
    breaks: 'The creation of a V2 task refuses an undocumented member.',
    target: 'INTERFACE-07',
    tamper: closes(/v2\/tasks/),
  },
  {
    ...reference,
    id: 'interface-sessions-closed',
    breaks: 'The creation of a V3 session refuses an undocumented member.',
    target: 'INTERFACE-07',
    tamper: closes(/v3\/sessions/),
  },
  {
    ...reference,
    id: 'interface-runs-open',
    breaks: 'The creation of a V4 run accepts undocumented members.',
    target: 'INTERFACE-08',
    tamper: { request: ({ url, body }) => (url === '/api/v4/runs' ? { body: without(body) } : undefined) },
  },
  {
    ...reference,
    id: 'interface-runs-take-levels',
    breaks: 'The creation of a V4 run accepts the thinkingLevel of V2 and V3, and drops it.',
    target: 'INTERFACE-08',
    tamper: {
      request({ url, body }) {
        if (url !== '/api/v4/runs' || !isJsonObject(body)) return undefined;
        const { thinkingLevel: _level, ...rest } = body;
        return { body: rest };
      },
    },
  },
  {
    ...reference,
    id: 'interface-messages-open',
    breaks: 'Queued messages accept undocumented members.',
    target: 'INTERFACE-08',
    tamper: {
      answer: ({ url, body }, { status }) =>
        url.endsWith('/queue') && status === 422 && JSON.stringify(body).includes('svcCheckUnknown')
          ? { status: 200, body: {} }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'interface-judges-open',
    breaks: 'The judge of a V4 run accepts undocumented members.',
    target: 'INTERFACE-08',
    tamper: {
      request: ({ url, body }) =>
        url === '/api/v4/runs' && isJsonObject(body) && isJsonObject(body['judge'])
          ? { body: { ...body, judge: {} } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'interface-secrets-open',
    breaks: 'The secrets of a V4 run accept undocumented members.',
    target: 'INTERFACE-08',
    tamper: {
      request: ({ url, body }) =>
        url === '/api/v4/runs' && isJsonObject(body) && Array.isArray(body['secretBindings'])
          ? { body: { ...body, secretBindings: body['secretBindings'].map((binding) => without(binding)) } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'interface-unknown-run-empty',
    breaks: 'The events of an unknown run are an empty list.',
    target: 'INTERFACE-09',
    tamper: refusal(404, (_body, { url }) =>
      url.endsWith('/events') ? { status: 200, body: { events: [], nextAfter: 0, hasMore: false } } : undefined,
    ),
  },
  {
    ...reference,
    id: 'interface-malformed-404',
    breaks: 'A V4 workspace id that is not a UUID is answered with 404.',
    target: 'INTERFACE-10',
    tamper: refusal(422, (_body, { url }) =>
      url.startsWith('/api/v4/workspaces/no-id') ? { status: 404, body: { detail: 'Workspace not found' } } : undefined,
    ),
  },
  {
    ...account,
    id: 'account-balance-text',
    breaks: 'The balance is a decimal string.',
    target: 'ACCOUNT-01',
    tamper: accounts((body) => ({ ...body, totalCreditsBalanceUsd: String(body['totalCreditsBalanceUsd']) })),
  },
  {
    ...account,
    id: 'account-plan-name',
    breaks: 'The plan is a name.',
    target: 'ACCOUNT-01',
    tamper: accounts((body) => ({ ...body, planInfo: 'free' })),
  },
  {
    ...account,
    id: 'account-per-generation',
    breaks: 'V2 shows another project than V3.',
    target: 'ACCOUNT-02',
    tamper: accounts((body, { url }) =>
      url.startsWith('/api/v2') ? { ...body, projectId: '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90' } : body,
    ),
  },
];
