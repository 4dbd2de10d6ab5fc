import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { versions } from '../generate/bundle.ts';
import { answerProblems } from './answer-problems.ts';
import { bundleFile, loadBundles, fileNameProblems, operationProblems, objectProblems } from './operation-problems.ts';
import { exampleProblems } from './example-problems.ts';
import { sourceProblems } from './source-problems.ts';

/** Returns a valid document with one operation, one schema and one example, after an optional change. */
function document(
  change: (parts: { operation: JsonObject; schema: JsonObject; example: JsonObject }) => void = () => undefined,
): JsonObject {
  const schema: JsonObject = {
    description: 'A thing.',
    'x-source': 'contract 2',
    type: 'object',
    properties: { id: { description: 'Its id.', 'x-source': 'companion 4.1', type: 'string' } },
  };
  const example: JsonObject = { id: 'a' };
  const content = {
    'application/json': { schema: { $ref: '#/components/schemas/Thing' }, examples: { first: { value: example } } },
  };
  const refusal = { description: 'No key.', 'x-source': 'contract 5' };
  const operation: JsonObject = {
    operationId: 'getThing',
    description: 'Gets it.',
    'x-source': 'contract 4',
    responses: { '200': { description: 'It.', 'x-source': 'contract 4', content }, '401': refusal },
  };
  change({ operation, schema, example });
  return { openapi: '3.1.0', paths: { '/things': { get: operation } }, components: { schemas: { Thing: schema } } };
}

test('finds nothing in a document in order, and nothing in ours', () => {
  for (const good of [document(), ...loadBundles().values()]) {
    const rules = [operationProblems, answerProblems, sourceProblems, objectProblems, exampleProblems];
    expect(rules.flatMap((rule) => rule(good))).toEqual([]);
  }
});

test.each(['fetchThing', 'get', 'createThing', 'getthing', 'get_thing'])('finds the operationId %s', (operationId) => {
  const bad = document(({ operation }) => Object.assign(operation, { operationId }));
  expect(operationProblems(bad)).toEqual([expect.stringContaining(`found the operationId ${operationId}`)]);
});

test('finds a missing and an invented source, on an operation, a schema and a member', () => {
  expect(sourceProblems(document(({ operation }) => void delete operation['x-source']))).toEqual([
    expect.stringContaining('get /things: found the x-source missing'),
  ]);
  expect(sourceProblems(document(({ schema }) => Object.assign(schema, { 'x-source': 'a guess' })))).toEqual([
    expect.stringContaining('schema Thing: found the x-source "a guess"'),
  ]);
  const bad = document(({ schema }) =>
    Object.assign(schema, { properties: { id: { description: 'Its id.', 'x-source': 'contract' } } }),
  );
  expect(sourceProblems(bad)).toEqual([expect.stringContaining('schema Thing.id: found')]);
});

test('finds a missing description', () => {
  expect(sourceProblems(document(({ schema }) => void delete schema['description']))).toEqual([
    'schema Thing: found no description, expected one. Add a sentence that says what it means',
  ]);
});

test('finds an example that its schema refuses', () => {
  const problems = exampleProblems(document(({ example }) => Object.assign(example, { id: 1 })));
  expect(problems).toEqual([
    expect.stringMatching(
      /examples\/first: the example does not match its schema: example\/id must be string. Correct the example, or the schema$/,
    ),
  ]);
});

test.each(['object', ['object', 'null']])(
  'finds a %s without members, as a member of which a client can send nothing',
  (type) => {
    const thing = (member: JsonObject): JsonObject =>
      document(({ schema }) => Object.assign(schema, { properties: { settings: member } }));
    expect(objectProblems(thing({ type }))).toEqual([
      expect.stringMatching(
        /^#\/components\/schemas\/Thing\/properties\/settings: .* Add "additionalProperties: true"/,
      ),
    ]);
    expect(objectProblems(thing({ type, additionalProperties: true }))).toEqual([]);
  },
);

test('finds a body without an example', () => {
  const bad = document();
  const problems = exampleProblems(JSON.parse(JSON.stringify(bad).replace('"examples":', '"samples":')) as JsonObject);
  expect(problems).toEqual([
    '/paths/~1things/get/responses/200/content/application~1json: found no example, expected at least one, because the mock ' +
      'and the reference show it. Add examples beside schema',
  ]);
});

test.each([
  {
    name: 'no answer 401',
    change: { responses: {} },
    want: /found no answer 401, .* Add to operations\/getThing.yaml: "401"/,
  },
  { name: 'a body without 413', change: { requestBody: {} }, want: /found no answer 413, .*PayloadTooLarge.yaml/ },
  { name: 'a body without 422', change: { requestBody: {} }, want: /found no answer 422, .*UnprocessableContent.yaml/ },
  { name: 'a parameter without 422', change: { parameters: [{ name: 'a' }] }, want: /found no answer 422/ },
  {
    name: 'a list without pages',
    change: { operationId: 'listThings' },
    want: /found none of the parameters pageSize, page_size/,
  },
  {
    name: 'a list with pages of any size',
    change: { operationId: 'listThings', parameters: [{ name: 'limit', schema: { minimum: 1, default: 10 } }] },
    want: /found no maximum, expected a page size with minimum, maximum and default/,
  },
])('finds $name and says what to add', ({ change, want }) => {
  const problems = answerProblems(document(({ operation }) => Object.assign(operation, change)));
  expect(problems).toEqual(expect.arrayContaining([expect.stringMatching(want)]));
});

test('takes a list without pages that a limit bounds, if there is such a limit', () => {
  const bounded = (limit: string): JsonObject =>
    document(({ operation }) => Object.assign(operation, { operationId: 'listThings', 'x-bounded-by': limit }));
  expect(answerProblems(bounded('queuedMessages'))).toEqual([]);
  expect(answerProblems(bounded('noSuchLimit'))).toEqual([expect.stringContaining('or x-bounded-by with the row')]);
});

test('finds a path with an id and no 404', () => {
  const things = document();
  const moved = { ...things, paths: { '/things/{id}': (things['paths'] as JsonObject)['/things'] ?? {} } };
  expect(answerProblems(moved)).toEqual([
    expect.stringContaining('get /things/{id}: found no answer 404, expected one, because its path names a thing'),
    expect.stringContaining('found no answer 422'),
  ]);
});

test('finds a schema file whose name is no component name', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-names-'));
  mkdirSync(join(root, 'schemas'));
  for (const name of ['CreateThing.yaml', 'HTTPError.yaml', 'create-thing.yaml', 'Thing.yml'])
    writeFileSync(join(root, 'schemas', name), '');
  const problems = fileNameProblems(root);
  rmSync(root, { recursive: true });
  expect(problems.toSorted()).toEqual([
    expect.stringContaining('Thing.yml'),
    expect.stringContaining('create-thing.yaml'),
  ]);
});

test.each(versions)('redocly accepts %s with its strict rules and none of ours', (version) => {
  const root = mkdtempSync(join(tmpdir(), 'svc-redocly-'));
  const config = join(root, 'redocly.yaml');
  writeFileSync(config, 'extends: [recommended-strict]\n');
  const linted = spawnSync('redocly', ['lint', bundleFile(version), '--config', config, '--format', 'codeframe'], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  rmSync(root, { recursive: true });
  expect({ status: linted.status, said: linted.status === 0 ? '' : linted.stdout + linted.stderr }).toEqual({
    status: 0,
    said: '',
  });
});

test.each(versions)('%s names a server that takes no variable, and someone to write to', (version) => {
  const { servers, info } = loadBundles().get(version) ?? {};
  expect(servers).toEqual([{ url: `https://api.svc.example/api/${version}`, description: expect.any(String) }]);
  expect(info).toMatchObject({
    contact: { url: expect.any(String), email: expect.any(String) },
    license: { name: 'MIT' },
  });
});
