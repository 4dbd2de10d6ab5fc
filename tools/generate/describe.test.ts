import { expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { lifecycle, modelParams, models, rules, runEvents, thinkingLevels } from '#generated/rules.ts';
import { loadBundles } from '../lint-spec/operation-problems.ts';
import { describeValues } from './describe.ts';
import { expectObject } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rules as they were read
const tables = rules as unknown as RuleTables;

function describedFrom(source: string, version: 'v2' | 'v3' | 'v4' = 'v3'): string {
  const schema = { description: 'A word.', 'x-describe-from': source };
  describeValues({ schemas: [schema] }, version, tables);
  expect(schema).not.toHaveProperty('x-describe-from');
  return schema.description;
}

test('a description ends with the meaning of each state, and says which are final', () => {
  const said = describedFrom('lifecycle.session');
  expect(said).toMatch(/^A word\.\n\n- `created`: /);
  for (const { name, meaning, kind } of lifecycle.machines[0].states)
    expect(said).toContain(`- \`${name}\`: ${meaning}.${kind === 'end' ? ' Final.' : ''}`);
});

test('a model has its alias, its intent and when it can be chosen', () => {
  const said = describedFrom('models').split('\n');
  expect(said).toHaveLength(models.v3.models.length + 2);
  expect(said).toContain('- `svc-mini`: alias of `gemini-3-flash`; simple, well-defined tasks');
  expect(said).toContain('- `gpt-5.2`: openai; only with your own key of the provider (useOwnKey)');
});

test('levels, parameters and events name everything that the rules have', () => {
  const levels = describedFrom('thinkingLevels');
  for (const { model } of thinkingLevels.v3) expect(levels).toContain(`\`${model}\``);
  const params = describedFrom('modelParams', 'v4');
  for (const { model, path } of modelParams.matrix) expect(params).toMatch(new RegExp(`\`${path}\`.*\`${model}\``));
  const events = describedFrom('runEvents', 'v4').split('\n');
  for (const { type, when } of runEvents.events)
    expect(events).toContainEqual(expect.stringMatching(new RegExp(`^- \`${type}\` .*${when}`)));
});

test('refuses a table and a machine that nothing is known of', () => {
  expect(() => describedFrom('prices')).toThrow(/x-describe-from: found prices, expected/);
  expect(() => describedFrom('lifecycle.task', 'v3')).toThrow(/found no machine task of v3/);
});

test('without tables the keyword goes and the description stays', () => {
  const schema = { description: 'A word.', 'x-describe-from': 'models' };
  describeValues(schema, 'v3', null);
  expect(schema).toEqual({ description: 'A word.' });
});

/**
 * Matches words in a description that refer to a file of this project, which readers of the description do not have.
 */
const elsewhere = /\b(?:spec|docs)\/|\.ya?ml\b|\.md\b|\bdecisions? \d|\bcompanion\b|\bours?\b/;

test.each([...loadBundles()])(
  'no description of %s sends its reader to a file that only we have',
  (_version, document) => {
    expect(texts(document).filter((text) => elsewhere.test(text))).toEqual([]);
  },
);

function texts(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(texts);
  if (typeof node !== 'object' || node === null) return [];
  const { description, summary } = node as JsonObject;
  const here = [description, summary].filter((text) => typeof text === 'string');
  return [...here, ...Object.entries(node).flatMap(([name, member]) => (name === 'examples' ? [] : texts(member)))];
}

/** Schemas whose values standards define: country codes and media types. */
const standards = new Set(['ProxyCountryCode', 'UploadContentType']);

const enumerated = [...loadBundles()].flatMap(([version, document]) => {
  const components = expectObject(document['components'], 'components');
  return Object.entries(expectObject(components['schemas'], 'schemas')).flatMap(([name, member]) => {
    const schema = expectObject(member, name);
    const values = Array.isArray(schema['enum']) ? schema['enum'].filter((value) => value !== null).map(String) : [];
    return values.length > 1 && !standards.has(name) ? [{ version, name, schema, values }] : [];
  });
});

test.each(enumerated)('$name of $version explains each of its values', ({ schema, values }) => {
  // A value must occur as a separate word: `pending` does not explain `end`.
  const words = new Set(String(schema['description']).split(/[^\w.-]+|[.:;](?=\s|$)/));
  expect(values.filter((value) => !words.has(value))).toEqual([]);
});

test('the states, models and levels of each generation are enumerated by name', () => {
  const names = (version: string): string[] => enumerated.flatMap((one) => (one.version === version ? [one.name] : []));
  expect(names('v2')).toEqual(expect.arrayContaining(['TaskStatus']));
  expect(names('v3')).toEqual(expect.arrayContaining(['BuModel', 'BuAgentSessionStatus', 'ThinkingLevel']));
  expect(names('v4')).toEqual(expect.arrayContaining(['RunStatus']));
});
