import { Ajv2020 } from 'ajv/dist/2020.js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { mock as rows } from '#generated/rules.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { createMock } from '#mock/create-mock.ts';
import type { MockServer } from '#mock/mock-server.ts';
import { type Client, createClient } from '../src/client/index.ts';
import { collect } from './public-client/collect.ts';
import { type Connection, connect } from './public-client/connection.ts';
import type { TestTime } from './public-client/test-time.ts';
import { streamSteps, waitForTask } from './public-client/v2-client.ts';
import { dispatch, streamMessages, waitForRecordings, waitForSession } from './public-client/v3-client.ts';
import { RunEnded, waitForEvent, waitForRun } from './public-client/v4-client.ts';

/**
 * This file tests sequences of client calls against the stateless mock. Each wait of a client must end, and must end
 * without a pause if the record has already ended.
 */

const apiKey = 'svc_mock';
const log = pino({ level: 'silent' });
const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, links: { type: 'array', items: { type: 'string', format: 'uri' } } },
  required: ['title', 'links'],
  additionalProperties: false,
};
const conforms = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const noSchema = { type: 'string', pattern: '^[A-Z]{3}$' };

/**
 * Creates a clock whose sleeps end at once. The 21st sleep throws, because a wait with so many sleeps would never end.
 */
function quickTime(): TestTime {
  const sleeps: number[] = [];
  return {
    sleeps,
    elapsedMs: () => sleeps.reduce((sum, ms) => sum + ms, 0),
    sleep: async (ms) => {
      if (sleeps.push(ms) > 20) throw new Error('the client has waited 20 times');
    },
    during: () => undefined,
  };
}

let mock: MockServer;
let dynamic: MockServer;
let address: string;
let dynamicAddress: string;

beforeAll(async () => {
  mock = await createMock({ apiKey, log });
  dynamic = await createMock({ apiKey, log, dynamic: true, seed: 3 });
  [address, dynamicAddress] = await Promise.all([mock.listen(0, '127.0.0.1'), dynamic.listen(0, '127.0.0.1')]);
});
afterAll(async () => {
  await mock.close();
  await dynamic.close();
});

function client(version: string, at: string = address): Connection {
  return connect({ baseUrl: `${at}/api/${version}`, time: quickTime(), key: apiKey });
}

function ownClient(at: string = address): Client {
  return createClient({ baseUrl: at, apiKey, pause: () => Promise.reject(new Error('the client waits')) });
}

/** A call of an operation: its method, its path with a query, and its body. */
type Call = readonly [method: string, path: string, body?: object];

async function ask(connection: Connection, ...[method, path, body]: Call): Promise<JsonObject> {
  const answer = await (body === undefined ? connection.request(method, path) : connection.request(method, path, body));
  if (!isJsonObject(answer)) throw new Error(`found no object in the answer to ${method} ${path}`);
  return answer;
}

/**
 * Returns the path of an operation in which the ids of the examples replace the parameters. A parameter without such an
 * id is replaced by `x`.
 */
function knownPath({ id, path }: { readonly id: string; readonly path: string }): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const row = rows.ids.find((one) => one.parameter === name && (one.operation ?? id) === id);
    return row?.values[0] ?? 'x';
  });
}

describe.each([
  { name: 'examples', at: () => address },
  { name: 'answers made up from the schemas', at: () => dynamicAddress },
])('with $name', ({ at }) => {
  it('the waits of our own client end at the first answer', async () => {
    const { v2, v3, v4 } = ownClient(at());
    const task = await v2.POST('/tasks', { body: { task: 'x' } });
    expect(await v2.waitForTask(task.id)).toMatchObject({ id: task.id, status: 'finished' });
    const session = await v3.POST('/sessions', { body: { task: 'x' } });
    expect(await v3.waitForSession(session.id)).toMatchObject({ id: session.id, status: 'idle' });
    const run = await v4.POST('/runs', { body: { task: 'x', model: 'gpt-5.6-luna' } });
    expect(await v4.waitForRun(run.id)).toMatchObject({ id: run.id, status: 'completed', sessionId: run.sessionId });
  });

  it('the waits and streams of a public client end', async () => {
    const [v2, v3, v4] = [client('v2', at()), client('v3', at()), client('v4', at())];
    const task = String((await ask(v2, 'POST', '/tasks', { task: 'x' }))['id']);
    expect(await waitForTask(v2, task)).toMatchObject({ status: 'finished' });
    await collect(streamSteps(v2, task));
    const dispatched = await dispatch(v3, { task: 'x' });
    expect(await waitForSession(v3, dispatched.session.id)).toMatchObject({ status: 'idle' });
    await collect(streamMessages(v3, dispatched));
    const followUp = await dispatch(v3, { task: 'y', sessionId: dispatched.session.id });
    expect(followUp.session.id).toBe(dispatched.session.id);
    await collect(streamMessages(v3, followUp));
    expect(await waitForRecordings(v3, dispatched.session.id)).toEqual(expect.any(Array));
    const run = String((await ask(v4, 'POST', '/runs', { task: 'x' }))['id']);
    expect(await waitForRun(v4, run)).toMatchObject({ status: 'completed' });
  });
});

describe('a V4 run', () => {
  it('has events up to its end, page by page', async () => {
    const v4 = client('v4');
    const { id, eventsUrl } = await ask(v4, 'POST', '/runs', { task: 'x' });
    await expect(waitForEvent(v4, String(id), 'never')).rejects.toThrow(new RunEnded('run.completed'));
    expect(String(eventsUrl)).toBe(`${address}/api/v4/runs/${String(id)}/events`);
    const types: unknown[] = [];
    for (let after = 0, hasMore = true; hasMore; ) {
      const page = await ask(v4, 'GET', `/runs/${String(id)}/events?after=${after}&limit=2`);
      for (const event of Array.isArray(page['events']) ? page['events'] : [])
        if (isJsonObject(event)) types.push(event['type']);
      [after, hasMore] = [Number(page['nextAfter']), page['hasMore'] === true];
    }
    expect(types).toEqual(['run.created', 'browser.ready', 'run.started', 'agent.step', 'run.completed']);
    expect(await ask(v4, 'GET', `/runs/${String(id)}/events?after=45`)).toEqual({
      events: [],
      nextAfter: 45,
      hasMore: false,
    });
    const short = await ask(v4, 'GET', `/runs/${String(id)}/events?include_output=false&after=44`);
    expect(JSON.stringify(short)).not.toContain('"result"');
  });

  it('says the same in its status, its record and its list', async () => {
    const v4 = client('v4');
    const { id } = await ask(v4, 'POST', '/runs', { task: 'x' });
    const record = await ask(v4, 'GET', `/runs/${String(id)}`);
    expect(await ask(v4, 'GET', `/runs/${String(id)}/status`)).toEqual({ status: record['status'] });
    expect((await ask(v4, 'GET', '/runs'))['runs']).toEqual([record]);
  });
});

describe('structured output', () => {
  it('of V2 is the text of an instance', async () => {
    const v2 = client('v2');
    const { id } = await ask(v2, 'POST', '/tasks', { task: 'x', structuredOutput: JSON.stringify(schema) });
    const { output, isSuccess } = await waitForTask(v2, String(id));
    expect([isSuccess, conforms(JSON.parse(String(output)))]).toEqual([true, true]);
    expect(await ask(v2, 'GET', `/tasks/${String(id)}/status`)).toMatchObject({ output, isSuccess });
  });

  it('of V3 is an instance, in the session and in its messages', async () => {
    const v3 = client('v3');
    const created = await ask(v3, 'POST', '/sessions', { task: 'x', outputSchema: schema });
    expect(created['outputSchema']).toEqual(schema);
    const session = await waitForSession(v3, String(created['id']));
    expect([session.outputSchema, conforms(session.output)]).toEqual([schema, true]);
    const messages = await collect(streamMessages(v3, { session, after: undefined }));
    expect(messages.at(-1)?.data).toBe(JSON.stringify(session.output));
    const followUp = await ask(v3, 'POST', '/sessions', { task: 'y', sessionId: session.id });
    expect(followUp['id']).toBe(session.id);
    expect((await waitForSession(v3, session.id)).outputSchema).toBeNull();
  });

  it('of V4 is an instance, in the run and in its last event', async () => {
    const { v4 } = ownClient();
    const created = await v4.POST('/runs', { body: { task: 'x', model: 'gpt-5.6-luna', outputSchema: schema } });
    const run = await v4.waitForRun(created.id);
    expect([run.outputSchema, conforms(run.output)]).toEqual([schema, true]);
    expect(run.result).toBe(JSON.stringify(run.output));
    const page = await ask(client('v4'), 'GET', `/runs/${created.id}/events`);
    expect(JSON.stringify(page)).toContain(JSON.stringify(run.result));
  });

  it('of runs with different schemas does not mix, and a run without a schema has none', async () => {
    const { v4 } = ownClient();
    const body = { task: 'x', model: 'gpt-5.6-luna' };
    const other = { type: 'integer', minimum: 7 };
    const [one, two, plain] = await Promise.all([
      v4.POST('/runs', { body: { ...body, outputSchema: schema } }),
      v4.POST('/runs', { body: { ...body, outputSchema: other } }),
      v4.POST('/runs', { body }),
    ]);
    expect((await v4.waitForRun(two.id)).output).toBe(7);
    expect(conforms((await v4.waitForRun(one.id)).output)).toBe(true);
    expect((await v4.waitForRun(plain.id)).outputSchema ?? null).toBeNull();
  });

  it('that no value is known for is missed, and not made up', async () => {
    const v3 = client('v3');
    const { id } = await ask(v3, 'POST', '/sessions', { task: 'x', outputSchema: noSchema });
    expect(await waitForSession(v3, String(id))).toMatchObject({ output: null, isTaskSuccessful: false });
  });
});

describe('a list', () => {
  const lists = operations.filter(({ method, id }) => method === 'get' && id.startsWith('list'));

  it.each(lists)('$version $id ends', async ({ version, id, path, queryParameters }) => {
    const known = knownPath({ id, path });
    const connection = client(version);
    const first = await ask(connection, 'GET', known);
    expect([id, first['hasMore'] ?? false, first['nextCursor'] ?? null]).toEqual([id, false, null]);
    const names = queryParameters.map(String);
    const numbered = names.find((name) => name === 'page' || name === 'pageNumber');
    if (numbered === undefined) return;
    const second = await ask(connection, 'GET', `${known}?${numbered}=2`);
    expect([second[numbered], second['items'] ?? second['sessions']]).toEqual([2, []]);
  });

  it('refuses a cursor that it has not handed out', async () => {
    await expect(ask(client('v4'), 'GET', '/runs?cursor=x')).rejects.toMatchObject({ status: 400 });
  });
});

describe('files', () => {
  it('are sent to the addresses of the answer, one for each file, and read from others', async () => {
    for (const version of ['v3', 'v4']) {
      const connection = client(version);
      const { id } = await ask(connection, 'POST', '/workspaces', { name: 'x' });
      const files = [
        { name: 'a.txt', size: 3 },
        { name: 'b.txt', size: 3 },
      ];
      const answer = await ask(connection, 'POST', `/workspaces/${String(id)}/files/upload`, { files });
      const uploads = Array.isArray(answer['files']) ? answer['files'].filter(isJsonObject) : [];
      expect(uploads.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
      expect(new Set(uploads.map(({ uploadUrl }) => uploadUrl)).size).toBe(2);
      for (const { uploadUrl } of uploads) {
        const sent = await fetch(String(uploadUrl), { method: 'PUT', body: 'abc' });
        expect([sent.status, await sent.json()]).toEqual([200, expect.objectContaining({ size: 3 })]);
      }
      const listed = await ask(connection, 'GET', `/workspaces/${String(id)}/files?includeUrls=true`);
      const [file] = Array.isArray(listed['files']) ? listed['files'] : [];
      const read = await fetch(String(isJsonObject(file) ? file['url'] : ''));
      expect([read.status, await read.text()]).toEqual([200, rows.stateless.file]);
    }
  });

  it('of V2 are sent as a form, and logs and output files are read', async () => {
    const v2 = client('v2');
    const { id, sessionId } = await ask(v2, 'POST', '/tasks', { task: 'x' });
    const file = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 };
    const { url, fields, fileName } = await ask(v2, 'POST', `/files/sessions/${String(sessionId)}/presigned-url`, file);
    expect([fileName, fields]).toEqual(['a.txt', expect.objectContaining({ 'Content-Type': 'text/plain' })]);
    const form = new FormData();
    for (const [name, value] of Object.entries(isJsonObject(fields) ? fields : {})) form.append(name, String(value));
    form.append('file', new Blob(['x'], { type: 'text/plain' }), 'a.txt');
    expect((await fetch(String(url), { method: 'POST', body: form })).status).toBe(200);
    const logs = await ask(v2, 'GET', `/tasks/${String(id)}/logs`);
    expect((await fetch(String(logs['downloadUrl']))).status).toBe(200);
  });

  it('that are too large are refused', async () => {
    const body = Buffer.alloc(rows.stateless.uploadBytesMax + 1);
    const sent = await fetch(`${address}/uploads/x`, { method: 'PUT', body }).then(
      ({ status }) => status,
      () => 'connection closed',
    );
    expect([413, 'connection closed']).toContain(sent);
  });

  it('no address of an example leads elsewhere', async () => {
    for (const { version, id, method, path } of operations.filter((one) => one.method === 'get')) {
      const known = knownPath({ id, path });
      const answer = await ask(client(version), method.toUpperCase(), known);
      expect([id, JSON.stringify(answer).includes('svc.example')]).toEqual([id, false]);
    }
  });
});

describe('an id', () => {
  const named = operations.filter(({ pathParameters }) => pathParameters.length > 0);
  const unknown = '00000000-0000-4000-8000-000000000000';
  const bodies: Readonly<Record<string, object>> = {
    updateTask: { action: 'stop' },
    stopBrowser: { action: 'stop' },
    updateSession: { action: 'stop', title: null },
    createMessage: { text: 'x' },
    uploadWorkspaceFiles: { files: [{ name: 'a.txt', size: 1 }] },
    createSessionUpload: { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 },
    createBrowserUpload: { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 },
  };

  it.each(named)('that was never handed out is 404, a malformed one 422: $version $id', async (operation) => {
    const { version, id, method, path, body, statuses, successStatus } = operation;
    const query = id === 'deleteWorkspaceFile' ? '?path=a.txt' : '';
    const at = (value: string): string => `${path.replaceAll(/\{\w+\}/g, value)}${query}`;
    const sent = body === 'none' ? undefined : (bodies[id] ?? { name: 'x' });
    const asked = at(unknown).replace(/(\/queue\/)[^/]+/, '$17');
    const answered = client(version).request(method.toUpperCase(), asked, sent);
    // A deletion that succeeds without a record documents no 404.
    if (statuses.some((status) => status === 404)) await expect(answered).rejects.toMatchObject({ status: 404 });
    else expect([successStatus, await answered]).toEqual([204, undefined]);
    await expect(client(version).request(method.toUpperCase(), at('x'), sent)).rejects.toMatchObject({ status: 422 });
  });

  it('of a body that was never handed out is 404', async () => {
    for (const [version, path] of [
      ['v2', '/tasks'],
      ['v3', '/sessions'],
      ['v4', '/runs'],
    ] as const)
      await expect(client(version).request('POST', path, { task: 'x', sessionId: unknown })).rejects.toMatchObject({
        status: 404,
      });
  });

  it('of another kind of record is unknown', async () => {
    const { id, sessionId } = await ask(client('v4'), 'POST', '/runs', { task: 'x' });
    await expect(ask(client('v4'), 'GET', `/runs/${String(sessionId)}`)).rejects.toMatchObject({ status: 404 });
    await expect(ask(client('v4'), 'GET', `/sessions/${String(id)}`)).rejects.toMatchObject({ status: 404 });
  });

  it('in upper case is the same id', async () => {
    const { id } = await ask(client('v4'), 'POST', '/runs', { task: 'x' });
    expect(await ask(client('v4'), 'GET', `/runs/${String(id).toUpperCase()}`)).toMatchObject({ id });
  });
});
