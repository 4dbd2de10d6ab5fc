import { afterAll, beforeAll, expect, it } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { isJsonObject } from '#lib/json.ts';
import { operations } from '#generated/operations.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';
import { type Listed, exampleBody } from './support/uuid-places.ts';

let started: StartedBackend;
beforeAll(async () => {
  started = await startBackend();
});
afterAll(() => started.stop());

const nobodys = '00000000-0000-4000-8000-000000000000';
/** Operations that refuse unknown members of the body (companion T13). */
const closed = ['v4 createRun', 'v4 createMessage'];

const formatOperation = ({ version, id }: Listed): string => `${version} ${id}`;
const withBody = operations.filter((operation) => isJsonObject(exampleBody(operation)));

/** Sends the example body with an unknown member; returns the error details that name this member. */
async function complaints(operation: Listed): Promise<unknown[]> {
  const path = operation.path.replaceAll(/\{\w+\}/g, nobodys);
  const body = { ...Object(exampleBody(operation)), unknownMember: 1 };
  const api = createApiClient(started.address, undefined, operation.version);
  const { detail } = (await api.call(operation.method.toUpperCase(), path, body)).body;
  return Array.isArray(detail) ? detail.filter((found) => JSON.stringify(found).includes('unknownMember')) : [];
}

it('is asked of every operation with a body', () => {
  expect(withBody.map(formatOperation)).toEqual(operations.filter(({ body }) => body !== 'none').map(formatOperation));
});

it.each(withBody)('$version $id: a member that no document has', async (operation) => {
  const refused = { loc: ['body', 'unknownMember'], msg: 'Unknown field "unknownMember"', type: 'extra_forbidden' };
  expect(await complaints(operation)).toEqual(closed.includes(formatOperation(operation)) ? [refused] : []);
});

it('the closed objects of the documents are those of companion T13, and the source of a secret', () => {
  const closedIn = (document: { components: { schemas: object } }): string[] =>
    Object.entries(document.components.schemas).flatMap(([name, schema]: [string, unknown]) =>
      isJsonObject(schema) && schema['additionalProperties'] === false ? [name] : [],
    );
  expect([closedIn(v2), closedIn(v3)]).toEqual([[], []]);
  const listed = [
    'CreateRun',
    'InlineSecret',
    'QueueMessage',
    'RunBrowserSettings',
    'RunJudgeSettings',
    'SecretBinding',
  ];
  expect(closedIn(v4).toSorted()).toEqual(listed);
});
