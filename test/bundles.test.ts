import { readFileSync } from 'node:fs';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { checkModelParams } from '#contract/model-controls.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { operations } from '#generated/operations.ts';
import { createMock } from '#mock/create-mock.ts';
import { expectObject, parseJsonObject } from '../tools/generate/parse.ts';
import { createDocumentAjv, exampleProblems, getExamples } from '../tools/lint-spec/example-problems.ts';
import { follow } from '../src/cli/spec/link-problems.ts';
import { type Cell, matrixCells } from './support/matrix-cells.ts';
import { type RunningPrism, startPrism } from './support/start-prism.ts';

/** This file tests that tools with only the OpenAPI documents, without our tables, refuse what the contract refuses. */

const versions = ['v2', 'v3', 'v4'] as const;
type Version = (typeof versions)[number];
const file = (version: Version): string => `generated/openapi/${version}.json`;
const cells = matrixCells();
const followUps: readonly Cell[] = cells
  .filter((cell) => cell.version === 'v3')
  .map((cell) => ({
    ...cell,
    name: `${cell.name} in a follow-up`,
    body: { ...cell.body, sessionId: '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90' },
    accepted: true,
  }));
const ownKey: readonly Cell[] = ['gpt-5.2', 'gpt-5-mini', 'gemini-3.5-flash'].flatMap((model) =>
  [{}, { useOwnKey: false }, { useOwnKey: true }, { use_own_key: true }].map((option) => ({
    version: 'v3' as const,
    path: '/sessions',
    schema: 'CreateSession',
    name: `v3 ${model} with ${JSON.stringify(option)}`,
    body: { task: 'x', model, ...option },
    accepted: Object.values(option).includes(true),
  })),
);
const all = [...cells, ...followUps, ...ownKey];

const documents = new Map(
  versions.map((version) => [version, parseJsonObject(readFileSync(file(version), 'utf8'), file(version))]),
);
const validators = new Map<Version, Ajv2020>(
  [...documents].map(([version, document]) => [version, createDocumentAjv(document)]),
);

/** Returns whether a plain JSON Schema validator accepts the body; throws for an unknown schema. */
function ajvAccepts({ version, schema, body }: Pick<Cell, 'version' | 'schema' | 'body'>): boolean {
  const validate = validators.get(version)?.getSchema(`https://svc.example/document#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`${version} has no schema ${schema}`);
  return validate(body) === true;
}

/**
 * Returns all cells whose verdict is wrong, each with the expected verdict. The complete list shows the pattern of a
 * failure.
 */
function wrong(judged: readonly Cell[], accepts: (cell: Cell) => boolean): string[] {
  return judged
    .filter((cell) => accepts(cell) !== cell.accepted)
    .map((cell) => `${cell.name} should be ${cell.accepted ? 'accepted' : 'refused'}`);
}

describe('the matrices', () => {
  test('have the size that the contract gives them', () => {
    const ofContract = (version: Version): string[] =>
      defaultRules.models[version].models.filter((row) => row.source.startsWith('contract')).map((row) => row.name);
    const count = (version: Version, accepted: boolean): number =>
      cells.filter(
        ({ body, name, ...cell }) =>
          cell.version === version &&
          cell.accepted === accepted &&
          !/ (null|undefined|absent|\{\})$/.test(name) &&
          ofContract(version).includes(String(body['model'] ?? body['llm'])),
      ).length;
    expect([count('v2', true), count('v2', false)]).toEqual([76, 40]);
    expect([count('v3', true), count('v3', false)]).toEqual([77, 11]);
    expect([count('v4', true), count('v4', false)]).toEqual([80, 18 * 5 * 11 - 80 + 18]);
  });

  test.each(versions)('of %s: a plain ajv agrees with every cell', (version) => {
    expect(
      wrong(
        all.filter((cell) => cell.version === version),
        ajvAccepts,
      ),
    ).toEqual([]);
  });
});

describe('the examples', () => {
  test.each(versions)('of %s are valid', (version) => {
    const document = expectObject(documents.get(version), version);
    expect(getExamples(document).length).toBeGreaterThan(3);
    expect(exampleProblems(document)).toEqual([]);
  });
});

describe('prism mock', () => {
  const running = new Map<Version, RunningPrism>();
  beforeAll(async () => {
    for (const [version, prism] of await Promise.all(
      versions.map(async (name) => [name, await startPrism(file(name))] as const),
    ))
      running.set(version, prism);
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((prism) => prism.stop()));
  });

  test.each(versions)('of %s agrees with every cell, and so with ajv', async (version) => {
    const judged = all.filter((cell) => cell.version === version);
    const statuses = new Map<Cell, number>();
    for (const cell of judged)
      statuses.set(cell, await post(`${running.get(version)?.address}${cell.path}`, cell.body));
    expect([...new Set(statuses.values())].toSorted((left, right) => left - right)).toEqual([
      version === 'v2' ? 202 : 200,
      422,
    ]);
    expect(wrong(judged, (cell) => (statuses.get(cell) ?? 0) < 300)).toEqual([]);
  });

  test.each(versions)(
    'of %s answers every operation with its success when its own examples are sent',
    async (version) => {
      const answers: [string, number][] = [];
      const listed = operations.filter((operation) => operation.version === version);
      for (const { id, method, path } of listed) {
        const sent = createRequest(expectObject(documents.get(version), version), { method, path });
        const answer = await fetch(`${running.get(version)?.address}${sent.address}`, {
          method: method.toUpperCase(),
          headers: {
            'x-service-api-key': 'any',
            ...(sent.body === null ? {} : { 'content-type': 'application/json' }),
          },
          body: sent.body,
        });
        await answer.arrayBuffer();
        // In this header, Prism reports problems of the request or of its own answer.
        answers.push([`${id} ${answer.headers.get('sl-violations') ?? ''}`, answer.status]);
      }
      expect(answers).toEqual(listed.map(({ id, successStatus }) => [`${id} `, successStatus]));
    },
  );
});

describe('our tables', () => {
  test('and the mock agree with the documents on every cell', async () => {
    const mock = await createMock({ apiKey: 'any', log: pino({ level: 'silent' }) });
    const statuses = new Map<Cell, number>();
    for (const cell of all) {
      const answer = await mock.inject({
        method: 'POST',
        url: `/api/${cell.version}${cell.path}`,
        headers: { 'x-service-api-key': 'any' },
        payload: cell.body,
      });
      statuses.set(cell, answer.statusCode);
    }
    await mock.close();
    expect(wrong(all, (cell) => (statuses.get(cell) ?? 0) < 300)).toEqual([]);
  });

  test('agree with the documents on any modelParams', () => {
    const name = fc.constantFrom(
      'reasoning',
      'effort',
      'output_config',
      'thinking',
      'type',
      'display',
      'thinkingConfig',
      'thinkingLevel',
      'reasoning.effort',
      'x',
    );
    const leaf = fc.oneof(
      fc.constantFrom('low', 'high', 'max', 'none', 'adaptive', 'omitted', '', null, 1, true),
      fc.constant([]),
      fc.constant({}),
    );
    const params = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 2 })), { maxKeys: 3 });
    const model = fc.option(fc.constantFrom(...defaultRules.models.v4.models.map((row) => row.name)), {
      nil: undefined,
    });
    fc.assert(
      fc.property(model, params, (chosen, generated) => {
        const modelParams = expectObject(generated, 'modelParams');
        const body = { task: 'x', ...(chosen === undefined ? {} : { model: chosen }), modelParams };
        const accepted = checkModelParams(defaultRules, { model: chosen, params: modelParams }) === null;
        expect(accepted).toBe(ajvAccepts({ version: 'v4', schema: 'CreateRun', body }));
      }),
      { numRuns: 3000 },
    );
  });
});

/**
 * Creates a request from the examples of a document: those of its required parameters, and the first example of its
 * body.
 */
function createRequest(
  document: JsonObject,
  { method, path }: { method: string; path: string },
): { address: string; body: string | null } {
  const operation = expectObject(expectObject(expectObject(document['paths'], 'paths')[path], path)[method], method);
  const listed = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  let address = path;
  const query = new URLSearchParams();
  for (const entry of listed) {
    const { name, in: place, required, schema } = follow(document, entry);
    if (required !== true) continue;
    const value = String(expectObject(schema, String(name))['example']);
    if (place === 'path') address = address.replace(`{${String(name)}}`, value);
    else query.set(String(name), value);
  }
  const media = follow(document, operation['requestBody']);
  const [example] = getExamples(media).map((found) => found.value);
  return { address: `${address}?${query.toString()}`, body: example === undefined ? null : JSON.stringify(example) };
}

async function post(address: string, body: JsonObject): Promise<number> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': 'any' },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}
