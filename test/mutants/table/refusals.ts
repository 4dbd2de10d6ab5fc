import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { created, omit, sent } from '../tampers.ts';

const pair = ['ERR-06', 'V3-THINK-25', 'MAP-13', 'ERR-09', 'ERR-10', 'ERR-11'] as const;
const taskPair = ['ERR-07', 'MAP-06', 'MAP-11', 'MAP-13', 'MAP-15', 'V2-THINK-30', 'V2-THINK-31'] as const;
const texts = ['ERR-12', 'ERR-13', 'ERR-14'] as const;

const unsupported = new Set(
  defaultRules.thinkingLevels.v3.flatMap(({ model, levels }) =>
    ['disabled', 'low', 'medium', 'high']
      .filter((level) => !levels.includes(level))
      .map((level) => `${model} ${level}`),
  ),
);

const unsupportedTask = new Set(
  defaultRules.thinkingLevels.v2.flatMap(({ model, levels }) =>
    ['disabled', 'low', 'medium', 'high']
      .filter((level) => !levels.includes(level))
      .map((level) => `${model} ${level}`),
  ),
);

function hasUnsupportedPair(body: JsonObject): boolean {
  return unsupported.has(`${String(body['model'])} ${String(body['thinkingLevel'])}`);
}

function hasUnsupportedTaskPair(body: JsonObject): boolean {
  return unsupportedTask.has(`${String(body['llm'])} ${String(body['thinkingLevel'])}`);
}

/** Removes modelParams from selected V4 runs, so that the runs are accepted. */
function ignoresParams(when: (params: JsonObject, body: JsonObject) => boolean): Tamper {
  return sent('/api/v4/runs', (body) => {
    const { modelParams } = body;
    return isJsonObject(modelParams) && when(modelParams, body) ? omit(body, 'modelParams') : body;
  });
}

/** Returns all values in an object and in the objects inside it, except these objects themselves. */
function leaves(value: JsonObject): unknown[] {
  return Object.values(value).flatMap((member) => (isJsonObject(member) ? leaves(member) : [member]));
}

/** Servers that refuse invalid values only in simple requests, or only for some models. */
export const refusalMutants: readonly Mutant[] = [
  {
    id: 'v3-pair-long-task',
    breaks: 'V3 checks the level only with a task of less than 1,000 characters.',
    server: 'reference',
    target: 'V3-THINK-REFUSES',
    mayAlso: pair,
    tamper: created((body) =>
      String(body['task']).length > 1000 && hasUnsupportedPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v3-pair-workspace',
    breaks: 'V3 does not check the level of a session in a named workspace.',
    server: 'reference',
    only: ['V3-THINK-REFUSES', 'V3-STOP-03'],
    target: 'V3-THINK-REFUSES',
    tamper: created((body) =>
      typeof body['workspaceId'] === 'string' && hasUnsupportedPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v4-params-workspace',
    breaks: 'V4 does not check modelParams of a run in a named workspace.',
    server: 'reference',
    only: ['V4-PARAMS-REFUSES', 'V4-MEMBER-01'],
    target: 'V4-PARAMS-REFUSES',
    tamper: ignoresParams((_params, body) => typeof body['workspaceId'] === 'string'),
  },
  {
    id: 'v3-pair-code-mode',
    breaks: 'V3 does not check the level in code mode.',
    server: 'reference',
    target: 'V3-THINK-REFUSES',
    mayAlso: pair,
    tamper: created((body) =>
      body['codeMode'] === true && hasUnsupportedPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v2-pair-first',
    breaks: 'V2 checks the level only when the task precedes it in the body.',
    server: 'reference',
    target: 'V2-THINK-REFUSES',
    mayAlso: taskPair,
    tamper: sent('/api/v2/tasks', (body) => {
      const members = Object.keys(body);
      const isFirst = members.indexOf('thinkingLevel') < members.indexOf('task');
      return isFirst && hasUnsupportedTaskPair(body) ? omit(body, 'thinkingLevel') : body;
    }),
  },
  {
    id: 'v2-level-of-plain-models',
    breaks: 'V2 accepts any string as level of a model without levels.',
    server: 'reference',
    target: 'V3-ENUM-02',
    tamper: sent('/api/v2/tasks', (body) =>
      body['llm'] === 'gpt-4.1-mini' && !['disabled', 'low', 'medium', 'high'].includes(String(body['thinkingLevel']))
        ? omit(body, 'thinkingLevel')
        : body,
    ),
  },
  {
    id: 'v2-any-llm',
    breaks: 'V2 accepts any model name.',
    server: 'reference',
    target: 'V2-TASK-03',
    mayAlso: ['ERR-05'],
    tamper: sent('/api/v2/tasks', (body) => (String(body['llm']).includes('unlisted') ? omit(body, 'llm') : body)),
  },
  {
    id: 'v4-run-null-task',
    breaks: 'V4 accepts a run with the task null.',
    server: 'reference',
    target: 'V4-RUN-02',
    tamper: sent('/api/v4/runs', (body) => (body['task'] === null ? { ...body, task: 'Reply with done.' } : body)),
  },
  {
    id: 'v4-value-of-another-type',
    breaks: 'V4 ignores values of modelParams that are not strings.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'V4-PARAMS-27'],
    tamper: ignoresParams((params) => leaves(params).some((leaf) => typeof leaf !== 'string')),
  },
  {
    id: 'v4-value-in-capitals',
    breaks: 'V4 accepts listed values in upper case.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08'],
    tamper: ignoresParams((params) => leaves(params).some((leaf) => /^[A-Z]+$/.test(String(leaf)))),
  },
  {
    id: 'v4-second-value',
    breaks: 'V4 checks only the first of several parameter paths.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'V4-PARAMS-27'],
    tamper: sent('/api/v4/runs', (body) => {
      const { modelParams } = body;
      if (!isJsonObject(modelParams)) return body;
      const [name, ...others] = Object.keys(modelParams);
      return name === undefined || others.length === 0
        ? body
        : { ...body, modelParams: { [name]: modelParams[name] ?? {} } };
    }),
  },
  {
    id: 'v4-unlisted-member',
    breaks: 'V4 accepts an unlisted member next to a listed value.',
    server: 'reference',
    target: 'V4-PARAMS-27',
    tamper: ignoresParams((params) => JSON.stringify(params).includes('svc_unlisted')),
  },
  {
    id: 'v4-value-long-task',
    breaks: 'V4 checks modelParams only with a task of less than 1,000 characters.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', ...texts],
    tamper: ignoresParams((_params, body) => String(body['task']).length > 1000),
  },
  {
    id: 'v3-pair-short-task',
    breaks: 'V3 checks the level only with a task of at least 20 characters.',
    server: 'reference',
    target: 'V3-THINK-REFUSES',
    mayAlso: pair,
    tamper: created((body) =>
      String(body['task'] ?? '').length < 20 && hasUnsupportedPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v3-pair-country',
    breaks: 'V3 does not check the level when the request has a proxy country.',
    server: 'reference',
    target: 'V3-THINK-REFUSES',
    mayAlso: pair,
    tamper: created((body) =>
      typeof body['proxyCountryCode'] === 'string' && hasUnsupportedPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v2-pair-metadata',
    breaks: 'V2 does not check the level when the request has metadata.',
    server: 'reference',
    target: 'V2-THINK-REFUSES',
    mayAlso: taskPair,
    tamper: sent('/api/v2/tasks', (body) =>
      body['metadata'] !== undefined && hasUnsupportedTaskPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v2-pair-in-session',
    breaks: 'V2 does not check the level of a task for an existing session.',
    server: 'reference',
    target: 'V2-THINK-33',
    tamper: sent('/api/v2/tasks', (body) =>
      typeof body['sessionId'] === 'string' && hasUnsupportedTaskPair(body) ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'v4-value-in-session',
    breaks: 'V4 does not check modelParams of a run for an existing session.',
    server: 'reference',
    target: 'V4-SES-11',
    only: ['V4-SES-11'],
    tamper: ignoresParams((_params, body) => typeof body['sessionId'] === 'string'),
  },
  {
    id: 'v4-thinking-enabled',
    breaks: 'V4 accepts thinking.type enabled, which only the provider defines.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', ...texts],
    tamper: ignoresParams((params) => JSON.stringify(params) === '{"thinking":{"type":"enabled"}}'),
  },
  {
    id: 'v4-token-budget',
    breaks: 'V4 accepts a token budget next to a listed value.',
    server: 'reference',
    target: 'V4-PARAMS-27',
    tamper: ignoresParams((params) => /budget/i.test(JSON.stringify(params))),
  },
  {
    id: 'v4-value-before-model',
    breaks: 'V4 checks modelParams only when the model precedes it in the body.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'V4-PARAMS-27', ...texts],
    tamper: ignoresParams((_params, body) => {
      const members = Object.keys(body);
      return members.indexOf('modelParams') < members.indexOf('model');
    }),
  },
  {
    id: 'v4-value-beside-own-key',
    breaks: 'V4 does not check modelParams beside useOwnKey.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', ...texts],
    tamper: sent('/api/v4/runs', (body) =>
      body['useOwnKey'] === true ? omit(omit(body, 'modelParams'), 'useOwnKey') : body,
    ),
  },
  {
    id: 'v2-pair-before-llm',
    breaks: 'V2 checks the level only when the model precedes it in the body.',
    server: 'reference',
    target: 'V2-THINK-REFUSES',
    mayAlso: taskPair,
    tamper: sent('/api/v2/tasks', (body) => {
      const members = Object.keys(body);
      const isFirst = members.indexOf('thinkingLevel') < members.indexOf('llm');
      return isFirst && hasUnsupportedTaskPair(body) ? omit(body, 'thinkingLevel') : body;
    }),
  },
];
