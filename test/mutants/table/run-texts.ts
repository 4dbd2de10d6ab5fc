import type { Mutant, Tamper } from '../mutant.ts';
import { withProblem } from '../flip.ts';
import { details } from '../tampers.ts';

const texts = ['ERR-12', 'ERR-13', 'ERR-14'] as const;

const [head, tail] = ['Model "{model}" does not support ', '. Supported values: {supported}'] as const;
const pair = "modelParams.{path}='{value}'";

/** Changes the text of every V4 error about modelParams. */
function text(change: (msg: string) => string): Tamper {
  const everywhere = details((detail) => {
    const msg = detail['msg'];
    return typeof msg === 'string' && msg.includes('modelParams.') ? { ...detail, msg: change(msg) } : detail;
  });
  return { answer: (seen, given) => (seen.url.startsWith('/api/v4/') ? everywhere.answer?.(seen, given) : undefined) };
}

/** Changes the list of values after "Supported values:" in V4 refusals, unless the list is empty. */
function list(change: (values: string[]) => string): Tamper {
  return text((msg) => {
    const [before = '', values = ''] = msg.split('Supported values: ');
    return values === '' ? msg : `${before}Supported values: ${change(values.split(', '))}`;
  });
}

/**
 * Templates of V4 error texts, each with one wrong detail. A row has an id, the difference, the template and the
 * requirement that must fail.
 */
const templates: readonly (readonly [string, string, string, Mutant['target']])[] = [
  ['model-unquoted', 'The model has no quotes', `Model {model} does not support ${pair}${tail}`, 'ERR-12'],
  ['model-single-quotes', 'The model has single quotes', `Model '{model}' does not support ${pair}${tail}`, 'ERR-12'],
  ['no-word-model', 'The error text begins with the name', `"{model}" does not support ${pair}${tail}`, 'ERR-12'],
  [
    'lower-case-model',
    'The error text begins in lower case',
    `model "{model}" does not support ${pair}${tail}`,
    'ERR-12',
  ],
  ['other-verb', 'The error text says "does not allow"', `Model "{model}" does not allow ${pair}${tail}`, 'ERR-12'],
  ['short-verb', 'The error text says "doesn\'t support"', `Model "{model}" doesn't support ${pair}${tail}`, 'ERR-12'],
  [
    'provider',
    'The error text names the provider as V3 does',
    `Model "{model}" (provider "any") does not support ${pair}${tail}`,
    'ERR-12',
  ],
  ['no-member', 'The path lacks modelParams', `${head}{path}='{value}'${tail}`, 'ERR-13'],
  ['snake-member', 'The member is written in snake case', `${head}model_params.{path}='{value}'${tail}`, 'ERR-13'],
  ['colon', 'A colon precedes the value', `${head}modelParams.{path}: '{value}'${tail}`, 'ERR-12'],
  ['spaced', 'Spaces surround the equals sign', `${head}modelParams.{path} = '{value}'${tail}`, 'ERR-12'],
  ['no-value', 'The value is missing', `${head}modelParams.{path}${tail}`, 'ERR-12'],
  ['value-unquoted', 'The value has no quotes', `${head}modelParams.{path}={value}${tail}`, 'ERR-12'],
  ['no-period', 'No period precedes the list', `${head}${pair} Supported values: {supported}`, 'ERR-12'],
  ['semicolon', 'A semicolon precedes the list', `${head}${pair}; Supported values: {supported}`, 'ERR-12'],
  [
    'lower-supported',
    'The introduction of the list begins in lower case',
    `${head}${pair}. supported values: {supported}`,
    'ERR-12',
  ],
  ['allowed', 'The introduction of the list says "allowed"', `${head}${pair}. Allowed values: {supported}`, 'ERR-12'],
  ['no-colon', 'No colon precedes the values', `${head}${pair}. Supported values {supported}`, 'ERR-12'],
  ['no-list', 'The error text does not list the supported values', `${head}${pair}.`, 'ERR-12'],
];

/**
 * Changes of lists or words in V4 error texts. A row has an id, the difference, the change and the requirement that
 * must fail.
 */
const rewrites: readonly (readonly [string, string, Tamper, Mutant['target']])[] = [
  ['list-semicolons', 'The values are separated by semicolons', list((values) => values.join('; ')), 'ERR-14'],
  ['list-blanks', 'The values are separated by spaces', list((values) => values.join(' ')), 'ERR-14'],
  ['list-pipes', 'The values are separated by pipes', list((values) => values.join(' | ')), 'ERR-14'],
  [
    'list-half-quoted',
    'A quotation mark stands behind each value alone',
    list((values) => values.map((value) => `${value}'`).join(', ')),
    'ERR-14',
  ],
  [
    'list-first-last',
    'The first value is listed last',
    list(([first = '', ...rest]) => [...rest, first].join(', ')),
    'ERR-14',
  ],
  ['list-short', 'The last value is missing', list((values) => values.slice(0, -1).join(', ')), 'ERR-12'],
  [
    'list-twice',
    'The first value is listed in place of the last one',
    list(([first = '', ...rest]) => [first, ...rest.slice(0, -1), ...(rest.length > 0 ? [first] : [])].join(', ')),
    'ERR-12',
  ],
  ['list-long', 'The list has an additional value', list((values) => [...values, 'zero'].join(', ')), 'ERR-12'],
  [
    'list-and',
    'The word "and" precedes the last value',
    list((values) => values.join(', ').replace(/, ([^,]*)$/, ' and $1')),
    'ERR-12',
  ],
  [
    'path-slashes',
    'The path is written with slashes',
    text((msg) => msg.replace(/modelParams\.(\w+)\.(\w+)/, 'modelParams.$1/$2')),
    'ERR-13',
  ],
  [
    'path-camel',
    'The path is written in camel case',
    text((msg) => msg.replace('output_config.', 'outputConfig.')),
    'ERR-13',
  ],
  ['other-value', 'The error text names another value', text((msg) => msg.replace(/='[^']*'/, "='other'")), 'ERR-12'],
  [
    'other-name',
    'The error text names another model',
    text((msg) => msg.replace(/^Model "[^"]*"/, 'Model "gpt-4.1"')),
    'ERR-12',
  ],
];

/** Servers whose error text for modelParams differs in one token. */
export const runTextMutants: readonly Mutant[] = [
  ...templates.map(
    ([name, breaks, message, target]): Mutant => ({
      id: `v4-text-${name}`,
      breaks: `V4: ${breaks}.`,
      server: 'reference',
      target,
      mayAlso: texts,
      only: ['errors'],
      rules: withProblem('unsupported_model_params', { message }),
    }),
  ),
  ...rewrites.map(
    ([name, breaks, tamper, target]): Mutant => ({
      id: `v4-text-${name}`,
      breaks: `V4: ${breaks}.`,
      server: 'reference',
      target,
      mayAlso: texts,
      only: ['errors'],
      tamper,
    }),
  ),
];
