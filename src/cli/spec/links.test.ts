import { expect, test } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import type { JsonObject } from '#lib/json.ts';
import { linkProblems } from './link-problems.ts';

const links: Readonly<Record<string, JsonObject>> = {
  getThing: { operationId: 'getThing', parameters: { thing_id: '$response.body#/id' } },
  nextPage: { operationId: 'listThings', parameters: { cursor: '$response.body#/pages/0/next' } },
};

/** Returns a document whose creating operation links to the created resource. */
function document(found: JsonObject = links): JsonObject {
  const parameter = (name: string, place: string): JsonObject => ({ name, in: place, required: place === 'path' });
  const schema = {
    allOf: [{ type: 'object', properties: { id: { type: 'string' } } }],
    properties: { pages: { type: 'array', items: { $ref: '#/components/schemas/Page' } } },
  };
  const created = { description: 'It.', links: found, content: { 'application/json': { schema } } };
  return {
    paths: {
      '/things': {
        get: { operationId: 'listThings', parameters: [parameter('cursor', 'query')] },
        post: { operationId: 'createThing', responses: { '201': created } },
      },
      '/things/{thing_id}': { get: { operationId: 'getThing', parameters: [parameter('thing_id', 'path')] } },
    },
    components: { schemas: { Page: { properties: { next: { type: 'string' } } } } },
  };
}

/** Returns the document with changed members of the link `getThing`. */
const withLink = (change: JsonObject): JsonObject =>
  document({ ...links, getThing: { ...links['getThing'], ...change } });

test('finds no problem in a valid document and in our documents', () => {
  for (const good of [document(), v2, v3, v4]) expect(linkProblems(good)).toEqual([]);
});

test.each([
  { name: 'no links', given: document({}) },
  {
    name: 'links that do not take the id',
    given: withLink({ parameters: { thing_id: '$response.body#/pages/0/next' } }),
  },
])('names the missing link of a creation with $name', ({ given }) => {
  expect(linkProblems(given)).toEqual([
    'post /things 201: found no link that takes the id, expected at least one, because /things/{thing_id} does. Add to ' +
      'operations/createThing.yaml under "201": links: { getThing: { operationId: getThing, description: ..., parameters: { thing_id: $response.body#/id } } }',
  ]);
});

test.each([
  {
    name: 'operation',
    change: { operationId: 'getThng' },
    want: /link getThing: found no operation getThng\. Correct/,
  },
  {
    name: 'parameter',
    change: { parameters: { id: '$response.body#/id', thing_id: '$response.body#/id' } },
    want: /getThing has no parameter id, expected one of thing_id\. Correct it in operations\/createThing\.yaml/,
  },
  {
    name: 'member of the answer',
    change: { parameters: { thing_id: '$response.body#/name' } },
    want: /thing_id is "\$response\.body#\/name", which this answer does not have\. Name a member/,
  },
  {
    name: 'parameter of the request',
    change: { parameters: { thing_id: '$request.path.thing_id' } },
    want: /thing_id is "\$request\.path\.thing_id", which this answer does not have/,
  },
  {
    name: 'expression',
    change: { parameters: { thing_id: 7 } },
    want: /thing_id is 7, which this answer does not have/,
  },
])('reports a link to an unknown $name', ({ change, want }) => {
  expect(linkProblems(withLink(change))).toEqual(expect.arrayContaining([expect.stringMatching(want)]));
});

test('reports a link without a required parameter', () => {
  const given = document({ ...links, again: { operationId: 'getThing', parameters: {} } });
  expect(linkProblems(given)).toEqual([
    'post /things 201 link again: found no thing_id, which getThing needs. Add it to parameters in operations/createThing.yaml',
  ]);
});

test('names the missing link to the GET operation of a created resource', () => {
  const answers = (found: JsonObject): JsonObject => ({
    '200': {
      description: 'It.',
      links: found,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Share' } } },
    },
  });
  const shared = (found: JsonObject): JsonObject => ({
    paths: {
      '/share': {
        get: { operationId: 'getShare', responses: answers({}) },
        post: { operationId: 'createShare', responses: answers(found) },
      },
    },
    components: { schemas: { Share: { properties: { url: { type: 'string' } } } } },
  });
  expect(linkProblems(shared({ getShare: { operationId: 'getShare', parameters: {} } }))).toEqual([]);
  expect(linkProblems(shared({}))).toEqual([
    'post /share 200: found no link to getShare, expected one, because it answers with the same. ' +
      'Add it to operations/createShare.yaml under "200"',
  ]);
});
