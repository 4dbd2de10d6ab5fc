import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { defaultRules as rules } from '#contract/rule-book.ts';
import { expectObject, parseJsonObject } from '../tools/generate/parse.ts';
import { listOperations } from '../src/cli/spec/documents.ts';
import { type MappingFact, type NumberedRule, readTranscription } from './support/read-transcription.ts';

/**
 * This file compares the project's tables with a second, independent transcription of the contract.
 * `toEqual(transcribed)` prints both versions; one of the two was typed wrongly.
 */

const levels = ['disabled', 'low', 'medium', 'high'] as const;
const generations = { V2: 'v2', V3: 'v3', V4: 'v4' } as const;
const documents = { v2: load('v2'), v3: load('v3'), v4: load('v4') };

describe('enumerations', () => {
  const transcribed = readTranscription('enumerations');
  test.each([
    { version: 'v3', name: 'BuAgentSessionStatus' },
    { version: 'v3', name: 'ThinkingLevel' },
    { version: 'v2', name: 'ThinkingLevel' },
    { version: 'v3', name: 'BuModel' },
    { version: 'v3', name: 'ProxyCountryCode' },
    { version: 'v4', name: 'ProxyCountryCode' },
  ] as const)('$name of $version, in order', ({ version, name }) => {
    expect(contractNames(version, name)).toEqual(transcribed[name]);
  });

  test('V4 model identifiers, in the order seen', () => {
    const { identifiersSeen, recommendedModel } = readTranscription('model-params-v4');
    expect(contractNames('v4', 'V4Model')).toEqual(identifiersSeen);
    expect(rules.models.v4.models.filter(isContractRow).map((row) => row.name)).toEqual(identifiersSeen);
    expect(rules.models.v4.recommended?.model).toBe(recommendedModel);
  });

  test('V2 model identifiers are those of the V2 matrix', () => {
    const identifiers = readTranscription('thinking-levels-v2').rows.flatMap((row) => row.models);
    expect(contractNames('v2', 'V2Model')).toEqual(identifiers);
    expect(rules.models.v2.models.filter(isContractRow).map((row) => row.name)).toEqual(identifiers);
  });
});

describe('session fields', () => {
  const { session, requiredInEveryResponse, meanings, decimalString, validationError } =
    readTranscription('session-fields');
  const properties = expectObject(schema('v3', 'Session')['properties'], 'Session.properties');
  const ofContract = Object.entries(properties).filter(([, property]) => isFromContract(property));

  test('names, in order, and no others from the contract', () => {
    expect(ofContract.map(([name]) => name)).toEqual(session.map((row) => row.name));
    expect(schema('v3', 'Session')['required']).toEqual(requiredInEveryResponse);
    expect(session.filter((row) => row.required === 'yes').map((row) => row.name)).toEqual(requiredInEveryResponse);
  });

  test.each(session)('$name: type $type, default and nullability', (row) => {
    const property = expectObject(properties[row.name], row.name);
    expect(typeWords(property)).toBe(row.type);
    expect(property['default']).toEqual(row.default);
    expect(isNullable(property)).toBe(row.nullable);
  });

  test.each(session)('$name: meaning', ({ name }) => {
    const written = text(expectObject(properties[name], name)['description']);
    const missing = keyWords(String(meanings[name])).filter((word) => !keyWords(written).includes(word));
    // The description may be shorter than the contract's sentence, but must contain half of its key words.
    expect({ written, missing: missing.length <= keyWords(String(meanings[name])).length / 2 ? [] : missing }).toEqual({
      written,
      missing: [],
    });
  });

  test('decimal strings are the ones of the contract', () => {
    const decimal = ofContract
      .filter(([, property]) => JSON.stringify(property).includes('DecimalString'))
      .map(([name]) => name);
    expect(decimal.toSorted()).toEqual(decimalString.fields.toSorted());
    const pattern = new RegExp(text(schema('v3', 'DecimalString')['pattern']));
    for (const good of ['0', '5', '-5', '+5', '1.5', '.5', '5.', '-.5', '007'])
      expect([good, pattern.test(good)]).toEqual([good, true]);
    for (const bad of ['', '.', '-', '+', '+.', '--1', '1.2.3', '1e5', 'x', ' 1', '1,5'])
      expect([bad, pattern.test(bad)]).toEqual([bad, false]);
  });

  test.each(['v2', 'v3', 'v4'] as const)('validation error body of %s', (version) => {
    const error = schema(version, 'ValidationError');
    expect(Object.keys(expectObject(error['properties'], 'properties'))).toEqual(
      validationError.map((row) => row['name']),
    );
    expect(error['required']).toEqual(
      validationError.filter((row) => row['required'] === 'yes').map((row) => row['name']),
    );
    const body = schema(version, 'HTTPValidationError');
    expect([Object.keys(expectObject(body['properties'], 'properties')), body['required']]).toEqual([
      ['detail'],
      undefined,
    ]);
  });
});

describe('V3 models', () => {
  const { aliases, availability, tierIntents } = readTranscription('models-v3');
  const models = rules.models.v3.models.filter(isContractRow);

  test('names', () => {
    expect(models.map((row) => row.name)).toEqual(readTranscription('enumerations').BuModel);
  });

  test('aliases', () => {
    expect(
      sorted(Object.fromEntries(models.flatMap((row) => (row.aliasOf === undefined ? [] : [[row.name, row.aliasOf]])))),
    ).toEqual(sorted(aliases));
  });

  test('availability', () => {
    const words: Readonly<Record<string, RegExp>> = {
      'own-key': /^Selectable only with the own-key option/,
      'direct-or-cloud': /either a direct provider key or a cloud-platform route/,
      cloud: /only through the cloud-platform route/,
    };
    for (const row of models) {
      const rule = availability.find((entry) => entry.models.includes(row.name))?.rule ?? 'native';
      expect([row.name, row.availability]).toEqual([
        row.name,
        Object.keys(words).find((name) => words[name]?.test(rule)) ?? 'native',
      ]);
    }
  });

  test('tier intent', () => {
    const written = models.flatMap((row) => (row.intent === undefined ? [] : [[row.name, row.intent] as const]));
    const transcribed = tierIntents.flatMap((row) => row.models.map((name) => [name, row.intent] as const));
    expect(sorted(Object.fromEntries(written))).toEqual(sorted(Object.fromEntries(transcribed)));
  });
});

describe.each(['v2', 'v3'] as const)('thinking levels of %s', (version) => {
  const cells = readTranscription(`thinking-levels-${version}`).rows.flatMap((row) =>
    row.models.flatMap((model) => levels.map((level) => ({ model, level, cell: row[level] }))),
  );

  test.each(cells)('$model $level: $cell', ({ model, level, cell }) => {
    const row = rules.thinkingLevels[version].find((candidate) => candidate.model === model);
    expect(row?.levels.includes(level) ? 'Y' : 'no').toBe(cell);
  });

  test('has the models of the contract and no others', () => {
    expect(
      rules.thinkingLevels[version]
        .filter(isContractRow)
        .map((row) => row.model)
        .toSorted(),
    ).toEqual([...new Set(cells.map(({ model }) => model))].toSorted());
  });
});

describe('modelParams of V4', () => {
  const { rows, none, defaults } = readTranscription('model-params-v4');
  const transcribed = rows.flatMap((row) => row.models.map((model) => ({ model, path: row.path, values: row.values })));

  test.each(transcribed)('$model $path', ({ model, path, values }) => {
    expect(rules.modelParams.matrix.find((row) => row.model === model && row.path === path)?.values).toEqual(values);
  });

  test('has no other rows, and none for the models that accept nothing', () => {
    const key = (row: { model: string; path: string }): string => `${row.model} ${row.path}`;
    expect(rules.modelParams.matrix.filter(isContractRow).map(key).toSorted()).toEqual(transcribed.map(key).toSorted());
    expect(
      rules.models.v4.models
        .filter(isContractRow)
        .map((row) => row.name)
        .filter((name) => !rules.modelParams.matrix.some((row) => row.model === name))
        .toSorted(),
    ).toEqual(none.toSorted());
  });

  test('defaults', () => {
    const written = rules.modelParams.defaults
      .filter((row) => row.source.startsWith('contract'))
      .map(({ model, path, value }) => ({ model, path, value }));
    expect(written).toEqual(defaults);
  });
});

describe('mapping of levels to provider controls', () => {
  /**
   * For each model family in the words of the contract, the rows of spec/rules/reasoning-mapping.yaml that state the
   * mapping of this family.
   */
  const homes: Readonly<Record<string, readonly string[]>> = {
    'gemini-3-flash': ['gemini-3-flash'],
    'gemini-3.1-pro': ['gemini-3.1-pro', 'gemini-3-pro'],
    'gemini-2.5': ['gemini-2.5'],
    'claude 4.6 and later, and claude 5': ['claude-adaptive'],
    'earlier claude 4 / 4.5': ['claude-fixed-budget'],
    'gpt-5.1 and later': ['gpt-5.1-and-later'],
    'earlier gpt-5, o3, o4': ['earlier-gpt-5-o3-o4'],
    glm: ['glm'],
  };
  const facts = readTranscription('mapping').facts;

  test('every family of the contract has a row, and every row of the contract a family', () => {
    expect(facts.map((fact) => fact.family)).toEqual(Object.keys(homes));
    const named = rules.reasoningMapping.families
      .filter((row) => row.source.startsWith('contract'))
      .map((row) => row.family);
    expect(named.toSorted()).toEqual(
      [...Object.values(homes).flat(), 'gemini-2.5-pro', 'claude-fixed-budget-v2'].toSorted(),
    );
  });

  test.each(facts)('$family', (fact) => {
    for (const name of homes[fact.family] ?? []) expect([name, getLevels(name)]).toEqual([name, expectedLevels(fact)]);
  });

  test('gemini-2.5-pro cannot use the zero budget', () => {
    const fact = facts.find((row) => row.family === 'gemini-2.5');
    const { disabled: _refused, ...rest } = { disabled: undefined, ...fact?.levels };
    expect(fact?.except).toEqual([{ model: 'gemini-2.5-pro', refused: ['disabled'] }]);
    expect(getLevels('gemini-2.5-pro')).toEqual(rest);
  });

  test('legacy gemini-3-pro names route to gemini-3.1-pro', () => {
    expect(facts.find((row) => row.family === 'gemini-3.1-pro')?.routes).toEqual({ 'gemini-3-pro': 'gemini-3.1-pro' });
    expect(family('gemini-3-pro').routesTo).toEqual({ v3: 'gemini-3.1-pro', v2: 'gemini-3.1-pro-preview' });
  });

  test('V2 cannot enable fixed budgets, and maps no glm', () => {
    const fact = facts.find((row) => row.family === 'earlier claude 4 / 4.5');
    expect(Object.keys(getLevels('claude-fixed-budget-v2'))).toEqual(fact?.acceptedInV2);
    expect(listModels('v2', 'claude-fixed-budget')).toEqual([]);
    expect(listModels('v2', 'glm')).toEqual([]);
  });

  test('adaptive thinking in V3, effort only in V2', () => {
    expect(family('claude-adaptive').thinking).toEqual({ v3: 'adaptive', v2: 'effort-only' });
  });

  test('every model that takes a level names a family, and that family maps exactly its levels', () => {
    for (const version of ['v2', 'v3'] as const) {
      for (const { model, levels: supported, family: name } of rules.thinkingLevels[version]) {
        expect([version, model, name === undefined ? [] : Object.keys(getLevels(name))]).toEqual([
          version,
          model,
          supported,
        ]);
      }
    }
  });

  test('every family has a model, and every name stands once', () => {
    for (const { family: name } of rules.reasoningMapping.families)
      expect([name, listModels('v2', name).length + listModels('v3', name).length]).not.toEqual([name, 0]);
    const names = rules.reasoningMapping.families.map((row) => row.family);
    expect(names).toEqual([...new Set(names)]);
  });

  function listModels(version: 'v2' | 'v3', name: string): string[] {
    return rules.thinkingLevels[version].filter((row) => row.family === name).map((row) => row.model);
  }

  function family(name: string) {
    const found = rules.reasoningMapping.families.find((row) => row.family === name);
    if (found === undefined) throw new Error(`spec/rules/reasoning-mapping.yaml has no family ${name}`);
    return found;
  }

  function getLevels(name: string): Record<string, unknown> {
    return { ...family(name).levels };
  }
});

/** Returns true for a row whose source is the contract. Later model names have another source. */
function isContractRow({ source }: { readonly source: string }): boolean {
  return source.startsWith('contract');
}

/**
 * Returns the values of an enumeration without model names from other sources than the contract. Throws for a schema
 * that is no enumeration.
 */
function contractNames(version: 'v2' | 'v3' | 'v4', name: string): JsonValue[] {
  const later = rules.models[version].models.filter((row) => !isContractRow(row)).map((row) => row.name);
  const listed = schema(version, name)['enum'];
  if (!Array.isArray(listed)) throw new Error(`${name} of ${version} is no enumeration`);
  return listed.filter((value) => typeof value !== 'string' || !later.includes(value));
}

/**
 * Returns the levels of a family with the provider's value of each level, as the tables write them. The tables write
 * `off` for a disabled level. A switch has only the levels `disabled` and `high`, with the values `disabled` and
 * `enabled`.
 */
function expectedLevels(fact: MappingFact): Record<string, unknown> {
  if (fact.kind === 'switch') return { disabled: 'disabled', high: 'enabled' };
  if (fact.kind === 'effort') return { disabled: 'off', low: 'low', medium: 'medium', high: 'high' };
  if (fact.kind === 'fixed budget') return { disabled: 'off', ...fact.levels };
  if (fact.accepted !== undefined) return Object.fromEntries(fact.accepted.map((level) => [level, level]));
  return { ...fact.levels };
}

describe('life cycle of a V3 session', () => {
  const transcribed = readTranscription('lifecycle');
  const machine = rules.lifecycle.machines.find((row) => row.machine === 'session');

  test('states and their meaning', () => {
    expect(machine?.states.map(({ name, meaning }) => ({ name, meaning }))).toEqual(transcribed.states);
  });

  test('transitions: from, trigger, condition, to, also', () => {
    const written = machine?.transitions.map(({ from, trigger, condition, to, also }) => ({
      from,
      trigger,
      condition,
      to,
      also: also ?? '',
    }));
    expect(written).toEqual(
      transcribed.transitions.map((row) => ({
        ...row,
        // The table writes "*" for a state that the contract does not specify. It writes the condition without quotes
        // and remark.
        from: row.from.includes('not specified') ? '*' : row.from,
        condition: row.condition.replaceAll('`', '').replace(/ \(.*\)$/, ''),
      })),
    );
  });

  test('follow-up rules', () => {
    const begins: readonly RegExp[] = [
      /^Omitting thinkingLevel /,
      /^Sending a supported value /,
      /^Sending null /,
      /^The value /,
    ];
    const written = rules.lifecycle.followUps.map(({ rule, effect }) => ({ number: rule, text: effect }));
    expect(written).toEqual(
      readTranscription('follow-up-rules').rules.map((row: NumberedRule, index) => ({
        number: row.number,
        text: row.text.replace(begins[index] ?? '', '').replace(/\.$/, ''),
      })),
    );
  });

  test('only the stop operation ends a standalone browser', () => {
    const browser = rules.lifecycle.machines.find((row) => row.machine === 'browser');
    expect(browser?.transitions.map(({ from, to, also }) => ({ from, to, also }))).toEqual([
      { from: 'active', to: 'stopped', also: 'billing ends and unused browser time is refunded' },
    ]);
    expect(readTranscription('browser-rules').rules[2]?.text).toBe(
      'Stopping ends billing for the browser and refunds unused browser time.',
    );
  });
});

describe('operations that the contract shows', () => {
  test.each(readTranscription('operations').operations)(
    '$version $method $path',
    ({ version, method, path, pathParameters, requestFields, responses }) => {
      const key = generations[version];
      const found = listOperations(documents[key]).find(
        (row) => row.method === method.toLowerCase() && row.path === path.replace(/^\{base_url_v\d\}/, ''),
      );
      const operation = expectObject(found?.operation, `${version} ${method} ${path}`);
      expect(operation['x-source']).toMatch(/^contract/);
      const parameters = list(operation['parameters']).map((parameter) => resolve(documents[key], parameter));
      expect(
        parameters.map((row) => ({ name: row['name'], required: row['required'], contract: isFromContract(row) })),
      ).toEqual(pathParameters.map(({ name }) => ({ name, required: true, contract: true })));
      const fields = bodyProperties(documents[key], operation);
      const ofContract = Object.keys(fields).filter((name) => isFromContract(fields[name]) && name !== 'use_own_key');
      expect(ofContract).toEqual(requestFields.map((row) => row.name));
      for (const { name, type } of requestFields) {
        // The contract writes a model as a plain string. Other tests compare the identifiers, and the matrices compare
        // nullability.
        if (type === undefined || name === 'model' || name === 'llm') continue;
        expect([
          name,
          typeWords(expectObject(fields[name], name)).replaceAll(/^enum |^JSON Schema | or null$/g, ''),
        ]).toEqual([name, type.replaceAll(/^JSON Schema | or null$/g, '')]);
      }
      for (const { status } of responses)
        if (status !== undefined)
          expect(Object.keys(expectObject(operation['responses'], 'responses'))).toContain(String(status));
    },
  );

  test('answers carry the members that the contract names', () => {
    for (const { version, method, path, responses } of readTranscription('operations').operations) {
      const written = JSON.stringify(documents[generations[version]]);
      for (const name of responses.flatMap((row) => row.fields ?? []))
        expect([method, path, name, written.includes(`"${name}":`)]).toEqual([method, path, name, true]);
    }
    expect(expectObject(schema('v4', 'StopBrowser')['properties'], 'properties')).toMatchObject({
      action: { $ref: '#/components/schemas/BrowserAction' },
    });
    expect(schema('v4', 'BrowserAction')['enum']).toEqual(['stop']);
    expect(schema('v4', 'CreateRun')['required']).toEqual(['task']);
  });
});

describe('errors, limits, authentication, versions', () => {
  const placeholders: Readonly<Record<string, string>> = {
    'comma-separated list': 'supported',
    'comma-separated list in alphabetical order': 'supported',
  };

  test.each([
    { number: 1, code: 'unsupported_thinking_level' },
    { number: 2, code: 'unsupported_model_params' },
  ])('template $number', ({ number, code }) => {
    const template = readTranscription('errors').templates.find((row) => row.number === number)?.template ?? '';
    const row = rules.errors.problems.find((candidate) => candidate.code === code);
    expect(row?.message).toBe(
      template.replaceAll(/<([^>]+)>/g, (_, name: string) => `{${placeholders[name] ?? name}}`),
    );
    expect(row?.status).toBe(readTranscription('errors').statuses[0]?.status);
  });

  test('limits', () => {
    const rows = readTranscription('limits').rows;
    const numbers = (name: string): readonly number[] | undefined => rows.find((row) => row.limit === name)?.numbers;
    const limit = (name: string) => rules.limits.limits.find((row) => row.limit === name);
    const minuteMs = 60_000;
    expect([limit('screenshotUrlLifetime')?.value, limit('screenshotUrlLifetime')?.unit]).toEqual([
      (numbers('Lifetime of screenshotUrl')?.[0] ?? 0) * minuteMs,
      'ms',
    ]);
    expect(limit('gemini25Budgets')).toMatchObject({
      values: numbers('Gemini 2.5 thinking budgets'),
      unit: 'tokens',
      appliesTo: ['v2', 'v3'],
    });
    expect(limit('claudeFixedBudgets')).toMatchObject({
      values: numbers('Earlier claude fixed budgets'),
      unit: 'tokens',
      appliesTo: ['v3'],
    });
    expect(rules.limits.rules.find((row) => row.rule === 'sessionCostCeiling')).toMatchObject({
      text: rows.find((row) => row.limit === 'Session cost ceiling')?.value,
      appliesTo: ['v3'],
    });
    expect(rules.limits.limits.filter((row) => row.source.startsWith('contract'))).toHaveLength(rows.length - 1);
  });

  test.each(['v2', 'v3', 'v4'] as const)('authentication of %s', (version) => {
    const { type, location, name } = readTranscription('authentication').scheme;
    const schemes = expectObject(
      expectObject(documents[version]['components'], 'components')['securitySchemes'],
      'securitySchemes',
    );
    const [scheme, ...others] = Object.values(schemes).map((value) => expectObject(value, 'scheme'));
    expect([scheme?.['type'], scheme?.['in'], scheme?.['name']]).toEqual([type, location, name]);
    expect(others).toEqual([]);
    expect(documents[version]['security']).toEqual([{ [Object.keys(schemes)[0] ?? '']: [] }]);
    for (const { operation } of listOperations(documents[version])) expect(operation['security']).toBeUndefined();
  });

  test.each(['v2', 'v3', 'v4'] as const)('prefix and version of %s', (version) => {
    const { prefixes, publishedVersion } = readTranscription('versioning');
    const [server] = list(documents[version]['servers']).map((value) => expectObject(value, 'server'));
    expect(new URL(text(server?.['url']).replace('{host}', 'host.example')).pathname).toBe(
      prefixes[version.toUpperCase()],
    );
    const published = publishedVersion[version.toUpperCase()];
    if (published !== undefined) expect(expectObject(documents[version]['info'], 'info')['version']).toBe(published);
  });
});

describe('the service as a whole', () => {
  const listStatements = (topic: string): NumberedRule[] =>
    rules.service.statements
      .filter((row) => row.topic === topic)
      .map(({ number, text: words }) => ({ number, text: words }));
  const asWritten = (written: readonly NumberedRule[]): NumberedRule[] =>
    written.map(({ number, text: words }) => ({ number, text: words }));

  test('the rules that are sentences', () => {
    expect(listStatements('standaloneBrowsers')).toEqual(asWritten(readTranscription('browser-rules').rules));
    expect(listStatements('modelParams')).toEqual(asWritten(readTranscription('model-params-v4').rules));
    expect(listStatements('authentication')).toEqual(asWritten(readTranscription('authentication').rules));
    expect(listStatements('versioning')).toEqual(asWritten(readTranscription('versioning').rules));
    expect(listStatements('ownProviderKeys')).toEqual(
      readTranscription('own-keys').rules.map((row) => ({ number: row.number, text: `${row.version}: ${row.text}` })),
    );
  });

  test('the key header, its variable and the generations', () => {
    const { scheme, environmentVariable } = readTranscription('authentication');
    const { authentication } = rules.service;
    expect([authentication.scheme, authentication.in, authentication.name]).toEqual([
      scheme.type,
      scheme.location,
      scheme.name,
    ]);
    expect(authentication.environmentVariable).toBe(environmentVariable);
    const { prefixes, roles, reasoningControl, publishedVersion } = readTranscription('versioning');
    for (const row of rules.service.generations) {
      const name = row.version.toUpperCase();
      expect([row.prefix, row.role, row.reasoningControl]).toEqual([
        prefixes[name],
        roles[name],
        reasoningControl[name],
      ]);
      expect('publishedVersion' in row ? row.publishedVersion : undefined).toBe(publishedVersion[name]);
    }
  });
});

function load(version: 'v2' | 'v3' | 'v4'): JsonObject {
  const path = `generated/openapi/${version}.json`;
  return parseJsonObject(readFileSync(path, 'utf8'), path);
}

function schema(version: keyof typeof documents, name: string): JsonObject {
  return resolve(documents[version], { $ref: `#/components/schemas/${name}` });
}

function resolve(document: JsonObject, value: JsonValue | undefined): JsonObject {
  const node = expectObject(value, 'node');
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  let found: JsonValue | undefined = document;
  for (const part of reference.replace('#/', '').split('/')) found = isJsonObject(found) ? found[part] : undefined;
  return expectObject(found, reference);
}

function bodyProperties(document: JsonObject, operation: JsonObject): JsonObject {
  if (operation['requestBody'] === undefined) return {};
  const content = expectObject(expectObject(operation['requestBody'], 'requestBody')['content'], 'content');
  const media = expectObject(content['application/json'], 'application/json');
  return expectObject(resolve(document, media['schema'])['properties'], 'properties');
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isFromContract(node: JsonValue | undefined): boolean {
  return isJsonObject(node) && typeof node['x-source'] === 'string' && node['x-source'].startsWith('contract');
}

function branches(node: JsonObject): JsonObject[] {
  return [...list(node['anyOf']), ...list(node['allOf'])].filter(isJsonObject);
}

function types(node: JsonObject): string[] {
  return [node['type'] ?? []].flat().map(String);
}

/** Returns whether a schema accepts null. A schema without `type`, `$ref`, `anyOf` and `allOf` accepts any value. */
function isNullable(node: JsonObject): boolean {
  const untyped = node['type'] === undefined && node['$ref'] === undefined && branches(node).length === 0;
  return untyped || types(node).includes('null') || branches(node).some(isNullableBranch);
}

function isNullableBranch(node: JsonObject): boolean {
  return types(node).includes('null');
}

/** Returns a schema's type in the words of the contract's type column. */
function typeWords(node: JsonObject): string {
  const nullable = isNullable(node) ? ' or null' : '';
  const reference = [node, ...branches(node)].map((part) => part['$ref']).find((value) => typeof value === 'string');
  if (typeof reference === 'string') {
    const name = reference.replace('#/components/schemas/', '');
    return name === 'DecimalString' ? `decimal string${nullable}` : `enum ${name}${nullable}`;
  }
  const [type] = types(node).filter((name) => name !== 'null');
  if (type === undefined) return 'any JSON value or null';
  if (type === 'object') return `JSON Schema object${nullable}`;
  if (type === 'array') return `array of ${text(expectObject(node['items'], 'items')['type'])}`;
  const format = text(node['format']);
  if (format === '') return `${type}${nullable}`;
  return nullable === '' ? `${type}, ${format}` : `${type} (${format})${nullable}`;
}

/**
 * Returns the words of a sentence with at least four letters, in lower case. Removes endings such as `-ing`, which
 * differ in a paraphrase.
 */
function keyWords(sentence: string): string[] {
  return [...new Set(sentence.toLowerCase().match(/[a-z]{4,}/g))].map((word) => word.replace(/(ing|ed|es|s)$/, ''));
}

function sorted(value: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
}
