import type { Mutant, Tamper } from '../mutant.ts';
import { withProblem } from '../flip.ts';
import { details } from '../tampers.ts';

const texts = ['ERR-12', 'ERR-13', 'ERR-14'] as const;

const [head, tail] = ['Model "{model}" does not support ', '. Supported values: {supported}'] as const;
const pair = "modelParams.{path}='{value}'";

/** Rewrites the text of every V4 refusal of modelParams. */
function text(change: (msg: string) => string): Tamper {
  const everywhere = details((detail) => {
    const msg = detail['msg'];
    return typeof msg === 'string' && msg.includes('modelParams.') ? { ...detail, msg: change(msg) } : detail;
  });
  return { answer: (seen, given) => (seen.url.startsWith('/api/v4/') ? everywhere.answer?.(seen, given) : undefined) };
}

/** Rewrites the list behind "Supported values:"; an empty one stays empty. */
function list(change: (values: string[]) => string): Tamper {
  return text((msg) => {
    const [before = '', values = ''] = msg.split('Supported values: ');
    return values === '' ? msg : `${before}Supported values: ${change(values.split(', '))}`;
  });
}

/** The template of V4 with one token broken. */
const templates: readonly (readonly [string, string, string, Mutant['target']])[] = [
  ['model-unquoted', 'The model stands without quotes', `Model {model} does not support ${pair}${tail}`, 'ERR-12'],
  [
    'model-single-quotes',
    'The model stands in single quotes',
    `Model '{model}' does not support ${pair}${tail}`,
    'ERR-12',
  ],
  ['no-word-model', 'The text begins with the name', `"{model}" does not support ${pair}${tail}`, 'ERR-12'],
  ['lower-case-model', 'The text begins in lower case', `model "{model}" does not support ${pair}${tail}`, 'ERR-12'],
  ['other-verb', 'The text says "does not allow"', `Model "{model}" does not allow ${pair}${tail}`, 'ERR-12'],
  ['short-verb', 'The text says "doesn\'t support"', `Model "{model}" doesn't support ${pair}${tail}`, 'ERR-12'],
  [
    'provider',
    'The text names the provider as V3 does',
    `Model "{model}" (provider "any") does not support ${pair}${tail}`,
    'ERR-12',
  ],
  ['no-member', 'The path stands without modelParams', `${head}{path}='{value}'${tail}`, 'ERR-13'],
  ['snake-member', 'The member is written in snake case', `${head}model_params.{path}='{value}'${tail}`, 'ERR-13'],
  ['colon', 'A colon stands before the value', `${head}modelParams.{path}: '{value}'${tail}`, 'ERR-12'],
  ['spaced', 'Blanks stand around the equals sign', `${head}modelParams.{path} = '{value}'${tail}`, 'ERR-12'],
  ['no-value', 'The value is missing', `${head}modelParams.{path}${tail}`, 'ERR-12'],
  ['value-unquoted', 'The value stands without quotes', `${head}modelParams.{path}={value}${tail}`, 'ERR-12'],
  ['no-period', 'No period stands before the list', `${head}${pair} Supported values: {supported}`, 'ERR-12'],
  ['semicolon', 'A semicolon stands before the list', `${head}${pair}; Supported values: {supported}`, 'ERR-12'],
  ['lower-supported', 'The list is announced in lower case', `${head}${pair}. supported values: {supported}`, 'ERR-12'],
  ['allowed', 'The list is announced as allowed values', `${head}${pair}. Allowed values: {supported}`, 'ERR-12'],
  ['no-colon', 'No colon stands before the values', `${head}${pair}. Supported values {supported}`, 'ERR-12'],
  ['no-list', 'The text does not say what is supported', `${head}${pair}.`, 'ERR-12'],
];

/** A list or a word of the text that is broken for some values only. */
const rewrites: readonly (readonly [string, string, Tamper, Mutant['target']])[] = [
  ['list-semicolons', 'The values are separated by semicolons', list((values) => values.join('; ')), 'ERR-14'],
  ['list-blanks', 'The values are separated by blanks', list((values) => values.join(' ')), 'ERR-14'],
  ['list-pipes', 'The values are separated by pipes', list((values) => values.join(' | ')), 'ERR-14'],
  [
    'list-quoted',
    'The values stand in quotes',
    list((values) => values.map((value) => `'${value}'`).join(', ')),
    'ERR-14',
  ],
  [
    'list-first-last',
    'The first value stands last',
    list(([first = '', ...rest]) => [...rest, first].join(', ')),
    'ERR-14',
  ],
  ['list-short', 'The last value is missing', list((values) => values.slice(0, -1).join(', ')), 'ERR-12'],
  ['list-long', 'A value too many stands in the list', list((values) => [...values, 'zero'].join(', ')), 'ERR-12'],
  [
    'list-and',
    'The word "and" stands before the last value',
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
  ['other-value', 'The text names another value', text((msg) => msg.replace(/='[^']*'/, "='other'")), 'ERR-12'],
  [
    'other-name',
    'The text names another model',
    text((msg) => msg.replace(/^Model "[^"]*"/, 'Model "gpt-4.1"')),
    'ERR-12',
  ],
];

/** Servers whose refusals of modelParams read wrongly, token by token. */
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
