import { isJsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { withProblem } from '../flip.ts';
import { answers, details } from '../tampers.ts';

const level = 'unsupported_thinking_level';
const params = 'unsupported_model_params';
const levelTexts = ['V3-THINK-29', 'ERR-09', 'ERR-10', 'ERR-11'] as const;
const paramTexts = ['ERR-12', 'ERR-13', 'ERR-14'] as const;

/** Rewrites the text of every 422 element. */
function text(change: (msg: string) => string): Tamper {
  return details((detail) => ({ ...detail, msg: typeof detail['msg'] === 'string' ? change(detail['msg']) : '' }));
}

/** Reverses the list behind "Supported values:". */
function reversed(msg: string): string {
  const [head, list] = msg.split('Supported values: ');
  return list === undefined ? msg : `${head}Supported values: ${list.split(', ').toReversed().join(', ')}`;
}

/** Servers with wrong error texts. */
export const textMutants: readonly Mutant[] = [
  {
    id: 'camel-case-field',
    breaks: 'The error text names thinkingLevel.',
    server: 'reference',
    target: 'ERR-09',
    mayAlso: levelTexts,
    rules: withProblem(level, {
      message:
        'Model "{model}" (provider "{provider}") does not support thinkingLevel="{level}". Supported values: {supported}',
    }),
  },
  {
    id: 'no-provider',
    breaks: 'The error text omits the provider.',
    server: 'reference',
    target: 'ERR-10',
    mayAlso: levelTexts,
    rules: withProblem(level, {
      message: 'Model "{model}" does not support thinking_level="{level}". Supported values: {supported}',
    }),
  },
  {
    id: 'single-quotes',
    breaks: 'The error text quotes the level with single quotes.',
    server: 'mock',
    target: 'ERR-10',
    mayAlso: levelTexts,
    rules: withProblem(level, {
      message:
        'Model "{model}" (provider "{provider}") does not support thinking_level=\'{level}\'. Supported values: {supported}',
    }),
  },
  {
    id: 'no-list',
    breaks: 'The error text does not list the supported levels.',
    server: 'reference',
    target: 'ERR-10',
    mayAlso: levelTexts,
    rules: withProblem(level, {
      message: 'Model "{model}" (provider "{provider}") does not support thinking_level="{level}".',
    }),
  },
  {
    id: 'semicolons',
    breaks: 'The error text separates levels with semicolons.',
    server: 'reference',
    target: 'ERR-11',
    mayAlso: [...levelTexts, ...paramTexts],
    tamper: text((msg) => msg.replaceAll(', ', '; ')),
  },
  {
    id: 'all-levels-for-none',
    breaks: 'The error text lists every level for a model that supports none.',
    server: 'mock',
    target: 'ERR-10',
    tamper: text((msg) =>
      msg.replace(/(thinking_level=.*Supported values: )(?!\w+,|(disabled|high)$).*$/, '$1disabled, low, medium, high'),
    ),
  },
  {
    id: 'one-provider',
    breaks: 'The error text names google as the provider of every model.',
    server: 'mock',
    target: 'ERR-10',
    tamper: text((msg) => msg.replace(/\(provider "[^"]*"\)/, '(provider "google")')),
  },
  {
    id: 'level-located-at-task',
    breaks: 'The location of an unsupported level is the task.',
    server: 'mock',
    target: 'ERR-10',
    mayAlso: ['ERR-05'],
    tamper: details((detail) =>
      String(detail['msg']).includes('thinking_level=') ? { ...detail, loc: ['body', 'task'] } : detail,
    ),
  },
  {
    id: 'other-model',
    breaks: 'The error text names another model.',
    server: 'reference',
    target: 'ERR-10',
    mayAlso: [...levelTexts, ...paramTexts, 'V3-THINK-29'],
    tamper: text((msg) => msg.replace(/^Model "[^"]*"/, 'Model "gpt-4.1"')),
  },
  {
    id: 'v4-double-quotes',
    breaks: 'The V4 error text quotes the value with double quotes.',
    server: 'mock',
    target: 'ERR-12',
    mayAlso: paramTexts,
    rules: withProblem(params, {
      message: 'Model "{model}" does not support modelParams.{path}="{value}". Supported values: {supported}',
    }),
  },
  {
    id: 'v4-no-path',
    breaks: 'The V4 error text omits the path.',
    server: 'mock',
    target: 'ERR-13',
    mayAlso: paramTexts,
    rules: withProblem(params, {
      message: 'Model "{model}" does not support modelParams=\'{value}\'. Supported values: {supported}',
    }),
  },
  {
    id: 'v4-leaf-only',
    breaks: 'The V4 error text names only the last part of the path.',
    server: 'mock',
    target: 'ERR-13',
    mayAlso: paramTexts,
    tamper: text((msg) => msg.replace(/modelParams\.\w+\./, 'modelParams.')),
  },
  {
    id: 'v4-not-alphabetical',
    breaks: 'The V4 error text lists the values in another order.',
    server: 'mock',
    target: 'ERR-14',
    mayAlso: ['ERR-12'],
    tamper: text(reversed),
  },
  {
    id: 'detail-text',
    breaks: 'The detail of a 422 is a string.',
    server: 'reference',
    target: 'ERR-01',
    mayAlso: [...levelTexts, ...paramTexts, 'V3-GET-02', 'V3-THINK-REFUSES', 'V3-THINK-29'],
    tamper: answers(422, (body) =>
      isJsonObject(body) && Array.isArray(body['detail']) ? { body: { detail: JSON.stringify(body['detail']) } } : {},
    ),
  },
  {
    id: 'detail-object',
    breaks: 'The detail of a 422 is an object instead of a list.',
    server: 'mock',
    target: 'ERR-01',
    mayAlso: [...levelTexts, ...paramTexts, 'V3-GET-02', 'V2-THINK-REFUSES', 'V3-THINK-REFUSES', 'V4-PARAMS-REFUSES'],
    tamper: answers(422, (body) =>
      isJsonObject(body) && Array.isArray(body['detail']) ? { body: { detail: body['detail'][0] ?? null } } : {},
    ),
  },
  {
    id: 'no-loc',
    breaks: 'A 422 element has no loc.',
    server: 'reference',
    target: 'ERR-02',
    mayAlso: ['V3-GET-02'],
    tamper: details(({ loc: _left, ...detail }) => detail),
  },
  {
    id: 'loc-text',
    breaks: 'The loc of a 422 element is a string.',
    server: 'mock',
    target: 'ERR-02',
    mayAlso: ['V3-GET-02'],
    tamper: details((detail) => ({ ...detail, loc: 'body' })),
  },
  {
    id: 'msg-number',
    breaks: 'The msg of a 422 element is a number.',
    server: 'reference',
    target: 'ERR-03',
    mayAlso: [...levelTexts, ...paramTexts, 'V3-GET-02', 'V3-THINK-REFUSES', 'V3-THINK-29'],
    tamper: details((detail) => ({ ...detail, msg: 7 })),
  },
  {
    id: 'no-type',
    breaks: 'A 422 element has no type.',
    server: 'reference',
    target: 'ERR-04',
    mayAlso: ['V3-GET-02'],
    tamper: details(({ type: _left, ...detail }) => detail),
  },
  {
    id: 'v4-value-in-small-letters',
    breaks: 'The V4 error text shows the value in lower case.',
    server: 'mock',
    target: 'ERR-12',
    mayAlso: paramTexts,
    tamper: text((msg) => msg.replace(/='[^']*'/, (value) => value.toLowerCase())),
  },
  {
    id: 'value-of-another-path',
    breaks: 'With two wrong values of modelParams, the text about the first path has the value of the second.',
    server: 'reference',
    only: ['ERR-12', 'ERR-13', 'ERR-14'],
    target: 'ERR-12',
    tamper: text((msg) => msg.replace("output_config.effort='svc-first'", "output_config.effort='svc-second'")),
  },
  {
    id: 'unknown-run-model-as-text',
    breaks: 'The refusal of a V4 run with an unknown model has a text as detail.',
    server: 'reference',
    only: ['ERR-01', 'V4-PARAMS-REFUSES'],
    target: 'ERR-01',
    tamper: {
      answer: ({ url, body }, { status }) =>
        url === '/api/v4/runs' && status === 422 && isJsonObject(body) && body['model'] === 'svc-unlisted'
          ? { body: { detail: 'Unknown model' } }
          : undefined,
    },
  },
];
