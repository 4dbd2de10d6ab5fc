import type { JsonObject } from '#lib/json.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { type At, asks, at, both, readBody, isAt } from '../operation-tampers.ts';
import { omit } from '../tampers.ts';

/** Answers a request with a refusal although the good server performs it with another body. */
function acts(place: At, body: (asked: JsonObject) => JsonObject, status: number): Tamper {
  return {
    ...asks(place, (seen) => ({ body: body(readBody(seen)) })),
    answer: (seen) =>
      isAt(place, seen)
        ? { status, body: { detail: [{ loc: ['body'], msg: 'Not allowed', type: 'value_error' }] } }
        : undefined,
  };
}

/** Returns a condition for requests: the body contains an object as the value of this member. */
const wrong =
  (member: string) =>
  (seen: { body: unknown }): boolean =>
    JSON.stringify(seen.body).includes(`"${member}":{`);

const isKeyless = (seen: Seen): boolean =>
  isAt(at('POST', '/api/v4/browsers'), seen) && seen.headers['x-service-api-key'] === undefined;

const named = (): JsonObject => ({ name: 'left behind' });

const created = { server: 'reference', only: ['EFFECT-01'], target: 'EFFECT-01' } as const;
const changed = { server: 'reference', only: ['EFFECT-02'], target: 'EFFECT-02' } as const;

/** Adds the model of the last refused session creation to each later creation that names no model and no level. */
const keepsRefusedModel = (): Tamper => {
  let model: JsonObject[string] | undefined;
  const sessions = at('POST', '/api/v3/sessions', (seen) => readBody(seen)['sessionId'] === undefined);
  return {
    ...asks(sessions, (seen) => {
      const body = readBody(seen);
      return model === undefined || 'model' in body || body['thinkingLevel'] !== undefined
        ? {}
        : { body: { ...body, model } };
    }),
    answer: (seen, { status }) => {
      if (isAt(sessions, seen) && status === 422) model = readBody(seen)['model'] ?? model;
      return undefined;
    },
  };
};

/** Servers that refuse a request but perform its effect. */
export const sideEffectMutants: readonly Mutant[] = [
  {
    server: 'reference',
    id: 'effect-refused-model-kept',
    breaks: 'A session without a model has the model of the creation that was refused before it.',
    only: ['EFFECT-05'],
    target: 'EFFECT-05',
    tamper: keepsRefusedModel,
  },
  {
    ...created,
    id: 'effect-v4-profile',
    breaks: 'A refused V4 profile is created.',
    tamper: acts(at('POST', '/api/v4/profiles', wrong('name')), named, 422),
  },
  {
    ...created,
    id: 'effect-v4-run-beside-accepted',
    breaks: 'A V4 run starts although its modelParams are refused. Unknown workspaces are ignored.',
    tamper: both(
      acts(
        at('POST', '/api/v4/runs', (seen) => 'modelParams' in readBody(seen)),
        (asked) => omit(asked, 'modelParams'),
        422,
      ),
      asks(
        at('POST', '/api/v4/runs', (seen) => 'workspaceId' in readBody(seen)),
        (seen) => ({ body: omit(readBody(seen), 'workspaceId') }),
      ),
    ),
  },
  {
    ...created,
    id: 'effect-v4-workspace',
    breaks: 'A refused V4 workspace is created.',
    tamper: acts(at('POST', '/api/v4/workspaces', wrong('name')), named, 422),
  },
  {
    ...created,
    id: 'effect-v2-session',
    breaks: 'A V2 session that is refused for its profile is created.',
    tamper: acts(
      at('POST', '/api/v2/sessions', ({ body }) => JSON.stringify(body).includes('profileId')),
      () => ({}),
      404,
    ),
  },
  {
    ...created,
    id: 'effect-v4-run-workspace',
    breaks: 'A refused V4 run creates a workspace.',
    tamper: {
      request: (seen) => (isAt(at('POST', '/api/v4/runs'), seen) ? { url: '/api/v4/workspaces', body: {} } : undefined),
      answer: (seen) => (isAt(at('POST', '/api/v4/runs'), seen) ? { status: 422, body: { detail: [] } } : undefined),
    },
  },
  {
    ...created,
    id: 'effect-v3-session',
    breaks: 'A V3 session that is refused for its profile is created.',
    tamper: acts(
      at('POST', '/api/v3/sessions', ({ body }) => JSON.stringify(body).includes('profileId')),
      () => ({}),
      404,
    ),
  },
  {
    ...created,
    server: 'scripted',
    id: 'effect-browser',
    breaks: 'A browser that is refused for its profile is started.',
    tamper: acts(
      at('POST', '/api/v4/browsers', ({ body }) => JSON.stringify(body).includes('profileId')),
      () => ({}),
      404,
    ),
  },
  {
    ...created,
    id: 'effect-unlisted-model',
    breaks: 'A V2 task that is refused for its model is created.',
    tamper: acts(
      at('POST', '/api/v2/tasks', ({ body }) => JSON.stringify(body).includes('"llm":"svc-unlisted"')),
      ({ task = '' }) => ({ task }),
      422,
    ),
  },
  {
    ...created,
    server: 'scripted',
    id: 'effect-browser-without-key',
    breaks: 'A browser is started by a request without a key, which is answered 401.',
    tamper: {
      request: (seen) => (isKeyless(seen) ? { headers: { ...seen.headers, 'x-service-api-key': testKey } } : undefined),
      answer: (seen) => (isKeyless(seen) ? { status: 401, body: { detail: 'Missing API key' } } : undefined),
    },
  },
  {
    ...changed,
    id: 'effect-half-a-profile',
    breaks: 'A refused update of a V3 profile stores its valid members.',
    tamper: acts(at('PATCH', '/api/v3/profiles/*', wrong('userId')), ({ name = '' }) => ({ name }), 422),
  },
  {
    ...changed,
    id: 'effect-workspace-cleared',
    breaks: 'A V4 workspace loses its name when an update of its name is refused.',
    tamper: acts(at('PATCH', '/api/v4/workspaces/*', wrong('name')), () => ({ name: null }), 422),
  },
];
