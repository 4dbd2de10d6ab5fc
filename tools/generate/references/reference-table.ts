import type { KnownNames } from './known-names.ts';
import { modelTables, models, paramPath } from './model-references.ts';
import { placesIn, textIn } from './places.ts';
import { recordTables } from './record-references.ts';
import {
  type Names,
  type Reference,
  answerMember,
  operationId,
  parameter,
  requestMember,
  requestPart,
} from './reference.ts';

const problem: Names = (known) => known.rule('errors', 'problems.*.code');
const requirement: Names = (known) => known.requirements;
const response: Names = (known) => known.sharedResponses;
const stateOfMachine: Names = (_known, _row, rows) =>
  placesIn(rows.find((row) => 'states' in row) ?? {}, 'states.*.name').map(({ word }) => word);

const lifecycle: readonly Reference[] = [
  {
    at: 'machines.*.enumeration',
    expected: 'a schema of the generation',
    names: (known, row) => known.schemas(textIn(row, 'version')),
  },
  {
    at: 'machines.*.states.*.name',
    expected: 'a value of the enumeration of the machine',
    names: (known, _row, [, machine]) => known.values(textIn(machine, 'version'), textIn(machine, 'enumeration')),
  },
  {
    at: 'machines.*.transitions.*.from',
    expected: 'a state of the machine, or *',
    names: (...given) => ['*', ...stateOfMachine(...given)],
  },
  ...['transitions.*.to', 'decisions.*.from', 'decisions.*.to'].map((at) => ({
    at: `machines.*.${at}`,
    expected: 'a state of the machine',
    names: stateOfMachine,
  })),
  {
    at: 'views.*.status',
    expected: 'a state of the machine of that generation',
    names: (_known, row, [, table]) =>
      placesIn(table ?? {}, 'machines.*.states.*.name')
        .filter(({ rows: [, machine] }) => machine?.['version'] === row['version'])
        .map(({ word }) => word),
  },
];

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** Returns a list with only this code if it is a country code; an empty list otherwise. */
function countryWords(code: string): string[] {
  return getWords(() => (regions.of(code.toUpperCase()) === undefined ? [] : [code]));
}

/**
 * Returns the canonical name of a time zone and the given name; an empty list if the platform does not know the time
 * zone.
 */
function zoneWords(timeZone: string): string[] {
  return getWords(() => [new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone, timeZone]);
}

/** Returns the result of `look`; an empty list if `look` throws a RangeError. */
function getWords(look: () => string[]): string[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** References of each rule table, by the name of its file without extension. */
export const ruleReferences: Readonly<Record<string, readonly Reference[]>> = {
  ...modelTables,
  ...recordTables,
  lifecycle,
  'accepted-fields': [
    {
      at: 'fields.*.schema',
      expected: 'a schema of the generation',
      names: (known, row) => known.schemas(textIn(row, 'version')),
    },
    {
      at: 'fields.*.field',
      expected: 'a member of the schema',
      names: (known, row) => known.members(textIn(row, 'version'), textIn(row, 'schema')),
    },
  ],
  'cdp-policy': [
    { at: 'domains.open.*', expected: 'a domain of the protocol', names: ({ cdp }) => cdp.domains },
    { at: 'large.methods.*', expected: 'a command of the protocol', names: ({ cdp }) => [...cdp.commands.keys()] },
    {
      at: 'methods.*.method',
      expected: 'a command of the protocol, or a domain with .*',
      names: ({ cdp }) => [...cdp.commands.keys(), ...cdp.domains.map((domain) => `${domain}.*`)],
    },
    {
      at: 'methods.*.members.*',
      expected: 'a parameter of the command',
      names: ({ cdp }, row) => cdp.commands.get(textIn(row, 'method')) ?? [],
    },
  ],
  countries: [
    {
      at: 'countries.*.language',
      expected: 'a language and a country',
      names: (_known, row) => {
        const [word = '', country = ''] = textIn(row, 'language').split('-');
        return getWords(() =>
          languages.of(word) === undefined ? [] : countryWords(country).map((code) => `${word}-${code}`),
        );
      },
    },
    { at: 'countries.*.code', expected: 'a country', names: (_known, row) => countryWords(textIn(row, 'code')) },
    {
      at: 'countries.*.timeZone',
      expected: 'a time zone',
      names: (_known, row) => zoneWords(textIn(row, 'timeZone')),
    },
  ],
  'common-responses': [{ at: 'responses.*.response', expected: 'a file of spec/shared/responses', names: response }],
  'contract-lines': [
    { at: 'refusals.*.code', expected: 'a code of errors.yaml', names: problem },
    ...['refusals', 'calls'].flatMap((list) => [
      { at: `${list}.*.requirement`, expected: 'an id of spec/requirements', names: requirement },
      { at: `${list}.*.operation`, expected: 'an operation of the generation', names: operationId },
    ]),
    { at: 'refusals.*.at', expected: 'a member or a parameter of the request', names: requestPart },
    ...['member', 'without'].map((at) => ({
      at: `calls.*.${at}`,
      expected: 'a member of the request body',
      names: requestMember,
    })),
  ],
  'error-examples': [
    { at: 'examples.*.code', expected: 'a code of errors.yaml', names: problem },
    { at: 'examples.*.response', expected: 'a file of spec/shared/responses', names: response },
    {
      at: 'examples.*.values.~',
      expected: 'a placeholder of the message',
      names: (known, _values, [, row]) => placeholders(known, textIn(row, 'code')),
    },
    {
      at: 'examples.*.loc.*',
      expected: 'a part of a request, or a member or parameter of one',
      names: (known) => [
        'body',
        'path',
        'query',
        'header',
        'content-type',
        ...known.properties,
        ...requestPart(known, {}, []),
        ...paramPath(known, {}, []).flatMap((path) => [path, ...path.split('.')]),
      ],
    },
    { at: 'elsewhere.*', expected: 'a code of errors.yaml', names: problem },
  ],
  errors: [
    {
      at: 'problems.*.retryAfter',
      expected: 'a placeholder of the message',
      names: (known, row) => placeholders(known, textIn(row, 'code')),
    },
  ],
  'client-scenarios': [
    ...['always.*', 'observed.*', 'unobserved.*.rules.*', 'trials.*.judges.*'].map((at) => ({
      at,
      expected: 'an id of spec/requirements',
      names: requirement,
    })),
    {
      at: 'trials.*.control',
      expected: 'the name of a trial',
      names: (known) => known.rule('client-scenarios', 'trials.*.name'),
    },
  ],
  mock: [
    {
      at: 'ids.*.parameter',
      expected: 'a parameter of an operation',
      names: (known, row) => parameter(known, row['operation'] === null ? {} : row, []),
    },
    { at: 'ids.*.operation', expected: 'an operation', names: (known) => operationId(known, {}, []) },
    { at: 'ids.*.problem', expected: 'a code of errors.yaml', names: problem },
    {
      at: 'followed.*',
      expected: 'a member of an answer',
      names: (known) => [...known.properties, ...answerMember(known, {}, [])],
    },
  ],
  'optional-packages': [
    {
      at: 'features.*.packages.*.name',
      expected: 'a package of package.json',
      names: (known) => known.packages,
    },
  ],
  service: [
    {
      at: 'generations.*.prefix',
      expected: 'the prefix of its generation',
      names: (_known, row) => [`/api/${textIn(row, 'version')}`],
    },
  ],
};

function placeholders(known: KnownNames, code: string): string[] {
  const at = known.rule('errors', 'problems.*.code').indexOf(code);
  const message = known.rule('errors', 'problems.*.message')[at] ?? '';
  return [...message.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Returns the references in a file of spec/requirements, given the name of the file. */
export function requirementReferences(file: string): readonly Reference[] {
  return [
    { at: 'area', expected: 'the name of the file', names: () => [file] },
    {
      at: 'laws.*.covers.*',
      expected: 'a row that the law goes through',
      names: (known, _covers, [, law]) => lawRows(known, textIn(law, 'each')),
    },
  ];
}

/**
 * Returns the names that a law may list in `covers`, given its member `each`: the models of a generation, or for
 * `v4.modelParams` pairs of a model and a path. A law about refusals may also list a V4 model without a path.
 */
function lawRows(known: KnownNames, each: string): readonly string[] {
  if (!each.startsWith('v4.modelParams')) return models([each.slice(0, 2)])(known, {}, []);
  const paths = paramPath(known, {}, []);
  const rows = known.rule('model-params', 'matrix.*.model').map((model, at) => `${model} ${paths[at] ?? ''}`);
  return each.endsWith('refused') ? [...rows, ...models(['v4'])(known, {}, [])] : rows;
}

/** References of the files of spec/sets. */
export const setReferences: readonly Reference[] = [
  { at: 'requirements.*', expected: 'an id of spec/requirements', names: requirement },
];
