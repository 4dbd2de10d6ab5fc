import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '#domain/json.ts';
import { loadBundles } from './bundles.ts';
import { exampleProblems } from './example-problems.ts';
import { fileNameProblems } from './file-name-problems.ts';
import { operationProblems } from './operation-problems.ts';
import { sourceProblems } from './source-problems.ts';

/** A document with one operation, one schema and one example, all in order. */
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
  const operation: JsonObject = {
    operationId: 'getThing',
    description: 'Gets it.',
    'x-source': 'contract 4',
    responses: { '200': { description: 'It.', 'x-source': 'contract 4', content } },
  };
  change({ operation, schema, example });
  return { openapi: '3.1.0', paths: { '/things': { get: operation } }, components: { schemas: { Thing: schema } } };
}

test('finds nothing in a document in order, and nothing in ours', () => {
  for (const good of [document(), ...loadBundles().values()]) {
    expect([...operationProblems(good), ...sourceProblems(good), ...exampleProblems(good)]).toEqual([]);
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
    'schema Thing: expected a description',
  ]);
});

test('finds an example that its schema refuses', () => {
  const problems = exampleProblems(document(({ example }) => Object.assign(example, { id: 1 })));
  expect(problems).toEqual([
    expect.stringMatching(/examples\/first: the example does not match its schema: example\/id must be string$/),
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
