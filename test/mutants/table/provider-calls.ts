import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { withDefault, withMapping, withModel } from '../flip.ts';

/** Changes the body of a creation before the good server gets it. */
function creation(path: string, change: (body: JsonObject, seen: Seen) => JsonObject): Tamper {
  return {
    request: (seen) =>
      seen.method === 'POST' && seen.url === path && isJsonObject(seen.body)
        ? { body: change(seen.body, seen) }
        : undefined,
  };
}

function hasParams({ modelParams }: JsonObject): boolean {
  return isJsonObject(modelParams) && Object.keys(modelParams).length > 0;
}

/** Returns the body of a run creation with only the first member of its modelParams. */
function firstParam(body: JsonObject): JsonObject {
  const { modelParams } = body;
  return isJsonObject(modelParams)
    ? { ...body, modelParams: Object.fromEntries(Object.entries(modelParams).slice(0, 1)) }
    : body;
}

/** Servers that send a wrong level, model or default to the model provider. */
export const providerCallMutants: readonly Mutant[] = [
  {
    id: 'first-param-alone',
    breaks: 'Of several modelParams the first one alone is sent to the provider.',
    server: 'providers',
    only: ['V4-PARAMS-28'],
    target: 'V4-PARAMS-28',
    tamper: creation('/api/v4/runs', firstParam),
  },
  {
    id: 'flash-disabled-is-low',
    breaks: 'The level disabled of gemini-3-flash is sent to the provider as low.',
    server: 'providers',
    target: 'MAP-02',
    rules: withMapping('gemini-3-flash', { levels: { disabled: 'low' } }),
  },
  {
    id: 'pro-low-is-medium',
    breaks: 'The level low of gemini-3.1-pro is sent to the provider as medium.',
    server: 'providers',
    target: 'MAP-03',
    rules: withMapping('gemini-3.1-pro', { levels: { low: 'medium' } }),
  },
  {
    id: 'legacy-pro-elsewhere',
    breaks: 'The legacy names of gemini-3-pro resolve to a flash model.',
    server: 'providers',
    target: 'MAP-04',
    rules: withMapping('gemini-3-pro', { routesTo: { v2: 'gemini-3-flash-preview', v3: 'gemini-3-flash' } }),
  },
  {
    id: 'gemini-low-is-512',
    breaks: 'The level low of gemini-2.5 is sent to the provider as a budget of 512 tokens.',
    server: 'providers',
    target: 'MAP-05',
    mayAlso: ['LIMIT-04'],
    rules: withMapping('gemini-2.5', { levels: { low: 512 } }),
  },
  {
    id: 'gemini-disabled-is-1024',
    breaks: 'The level disabled of gemini-2.5 is sent to the provider as a budget of 1024 tokens.',
    server: 'providers',
    target: 'LIMIT-04',
    mayAlso: ['MAP-05'],
    rules: withMapping('gemini-2.5', { levels: { disabled: 1024 } }),
  },
  {
    id: 'claude-low-is-high',
    breaks: 'The level low of claude 4.6 and later is sent to the provider as the effort high.',
    server: 'providers',
    target: 'MAP-07',
    mayAlso: ['MAP-08'],
    rules: withMapping('claude-adaptive', { levels: { low: 'high' } }),
  },
  {
    id: 'claude-disabled-is-low',
    breaks: 'The level disabled of claude 4.6 and later is sent to the provider as the effort low.',
    server: 'providers',
    target: 'MAP-09',
    rules: withMapping('claude-adaptive', { levels: { disabled: 'low' } }),
  },
  {
    id: 'haiku-low-is-2048',
    breaks: 'The level low of claude before 4.6 is sent to the provider as a budget of 2048 tokens.',
    server: 'providers',
    target: 'MAP-10',
    mayAlso: ['LIMIT-05'],
    rules: withMapping('claude-fixed-budget', { levels: { low: 2048 } }),
  },
  {
    id: 'gpt-disabled-is-low',
    breaks: 'The level disabled of gpt-5.1 and later is sent to the provider as the effort low.',
    server: 'providers',
    target: 'MAP-12',
    rules: withMapping('gpt-5.1-and-later', { levels: { disabled: 'low' } }),
  },
  {
    id: 'glm-disabled-is-on',
    breaks: 'The level disabled of glm does not disable its thinking.',
    server: 'providers',
    target: 'MAP-14',
    rules: withMapping('glm', { levels: { disabled: 'enabled' } }),
  },
  {
    id: 'ultra-is-opus-4.8',
    breaks: 'The alias svc-ultra resolves to claude-opus-4.8.',
    server: 'providers',
    target: 'VER-11',
    mayAlso: ['V3-MODEL-05'],
    rules: withModel('svc-ultra', { aliasOf: 'claude-opus-4.8' }),
  },
  {
    id: 'luna-has-no-default',
    breaks: "A run of gpt-5.6-luna without modelParams uses the provider's default effort.",
    server: 'providers',
    target: 'V4-PARAMS-29',
    mayAlso: ['V4-PARAMS-30'],
    rules: withDefault('gpt-5.6-luna', undefined),
  },
  {
    id: 'luna-default-high',
    breaks: 'A run of gpt-5.6-luna without modelParams uses the effort high.',
    server: 'providers',
    target: 'V4-PARAMS-30',
    mayAlso: ['V4-PARAMS-29'],
    rules: withDefault('gpt-5.6-luna', 'high'),
  },
  {
    id: 'haiku-medium-is-2048',
    breaks: 'The level medium of claude before 4.6 is sent to the provider as a budget of 2048 tokens.',
    server: 'providers',
    target: 'LIMIT-05',
    mayAlso: ['MAP-10'],
    matrix: 'full',
    rules: withMapping('claude-fixed-budget', { levels: { medium: 2048 } }),
  },
  {
    id: 'max-is-opus-4.7',
    breaks: 'The alias svc-max resolves to claude-opus-4.7.',
    server: 'providers',
    target: 'V3-MODEL-05',
    mayAlso: ['VER-11'],
    rules: withModel('svc-max', { aliasOf: 'claude-opus-4.7' }),
  },
  {
    id: 'v2-claude-low-is-high',
    breaks: 'A V2 task of claude with the level low sends the effort high to the provider.',
    server: 'providers',
    target: 'MAP-08',
    tamper: creation('/api/v2/tasks', (body) =>
      String(body['llm']).startsWith('claude-') && body['thinkingLevel'] === 'low'
        ? { ...body, thinkingLevel: 'high' }
        : body,
    ),
  },
  {
    id: 'switch-is-a-depth',
    breaks: 'The legacy parameter thinking of a V2 task is sent to the provider as the level high.',
    server: 'providers',
    target: 'V2-TASK-06',
    tamper: creation('/api/v2/tasks', (body) =>
      body['thinking'] === true ? { ...body, thinkingLevel: 'high' } : body,
    ),
  },
  {
    id: 'level-takes-another-route',
    // Every sample of cells contains a task of this model without a level.
    breaks: 'A V2 task of gemini-2.5-flash with a level calls another provider.',
    server: 'providers',
    target: 'BYOK-01',
    mayAlso: ['LIMIT-04', 'MAP-05'],
    tamper: creation('/api/v2/tasks', (body) =>
      body['llm'] === 'gemini-2.5-flash' && 'thinkingLevel' in body ? { ...body, llm: 'gpt-5.5' } : body,
    ),
  },
  {
    id: 'own-key-unused',
    breaks: "A model that requires the project's own provider key is called with the service's key.",
    server: 'providers',
    target: 'V3-MODEL-09',
    rules: withModel('gemini-3.5-flash', { availability: 'native' }),
    tamper: creation('/api/v3/sessions', ({ useOwnKey: _asked, ...body }) => body),
  },
  {
    id: 'params-dropped',
    breaks: 'modelParams are accepted and not sent to the provider.',
    server: 'providers',
    target: 'V4-PARAMS-28',
    tamper: creation('/api/v4/runs', (body) => (hasParams(body) ? { ...body, modelParams: {} } : body)),
  },
  {
    id: 'empty-params-dropped',
    breaks: 'An empty modelParams object has the same effect as no modelParams.',
    server: 'providers',
    target: 'V4-PARAMS-31',
    tamper: creation('/api/v4/runs', (body) => {
      const { modelParams: _empty, ...rest } = body;
      return hasParams(body) ? body : rest;
    }),
  },
  {
    id: 'params-dropped-with-own-key',
    breaks: 'modelParams are sent to the provider only with keys of the service.',
    server: 'providers',
    target: 'V4-PARAMS-32',
    mayAlso: ['V4-PARAMS-28'],
    tamper: creation('/api/v4/runs', (body, { headers }) =>
      hasParams(body) && headers['x-service-api-key'] === testKey ? { ...body, modelParams: {} } : body,
    ),
  },
  {
    id: 'pro-low-is-minimal',
    breaks: 'The level low of gemini-3.1-pro is sent to the provider as a value that it refuses.',
    server: 'providers',
    target: 'PROVIDER-01',
    mayAlso: ['MAP-03'],
    rules: withMapping('gemini-3.1-pro', { levels: { low: 'minimal' } }),
  },
  {
    id: 'memory-is-lost',
    breaks: 'A V2 session with persistMemory forgets its earlier tasks.',
    server: 'providers',
    target: 'PROVIDER-02',
    tamper: creation('/api/v2/sessions', (body) => ({ ...body, persistMemory: false })),
  },
  {
    id: 'memory-is-kept',
    breaks: 'A V2 session without persistMemory gives its tasks the results of earlier tasks.',
    server: 'providers',
    target: 'PROVIDER-03',
    tamper: creation('/api/v2/sessions', (body) => ({ ...body, persistMemory: true })),
  },
  {
    id: 'secret-in-the-goal',
    breaks: 'The values of sensitiveData are sent to the model with the task.',
    server: 'providers',
    target: 'PROVIDER-04',
    tamper: creation('/api/v3/sessions', ({ sensitiveData, ...body }) =>
      isJsonObject(sensitiveData)
        ? { ...body, task: `${String(body['task'])} Use ${JSON.stringify(sensitiveData)}.` }
        : body,
    ),
  },
];
