import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asKysely } from '#store/database.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { otherKey, type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { desk } from './support/workspace-client.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v4');
});
afterEach(() => started.stop());

const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

async function run(body: JsonObject): Promise<{ id: string; sessionId: string }> {
  const created = await api.call('POST', '/runs', body);
  expect(created.status).toBe(200);
  return { id: String(created.body['id']), sessionId: String(created.body['sessionId']) };
}

describe('outputSchema', () => {
  it('is the run’s own, and its output stands beside the result', async () => {
    const one = await run({ task: 'one', outputSchema });
    const running = await waitForTask(agent, 'one');
    expect(running.task.outputSchema).toEqual(outputSchema);
    expect((await api.call('GET', `/runs/${one.id}`)).body).toMatchObject({
      output: null,
      outputSchema,
      judgement: null,
    });
    running.finish({ success: true, output: { count: 3 } });
    expect(await api.until(one.id, isEnded)).toMatchObject({
      output: { count: 3 },
      outputSchema,
      result: '{"count":3}',
    });
    const two = await run({ task: 'two', sessionId: one.sessionId });
    expect((await waitForTask(agent, 'two')).task.outputSchema).toBeNull();
    (await waitForTask(agent, 'two')).finish({ success: true, output: 'done' });
    expect(await api.until(two.id, isEnded)).toMatchObject({ output: null, outputSchema: null, result: 'done' });
  });

  it('of a run that gave up: no output', async () => {
    const { id } = await run({ task: 'one', outputSchema });
    (await waitForTask(agent, 'one')).finish({ success: false, output: null, reason: 'gave up' });
    expect(await api.until(id, isEnded)).toMatchObject({ output: null, outputSchema, result: 'gave up' });
  });

  it('that cannot be used is refused', async () => {
    const answer = await api.call('POST', '/runs', { task: 'one', outputSchema: { type: 7 } });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toMatchObject([{ loc: ['body', 'outputSchema'] }]);
  });
});

describe('inbox', () => {
  const mailbox = async (sessionId: string): Promise<unknown> =>
    (await api.call('GET', `/sessions/${sessionId}`)).body['inboxEmail'];

  it('is off unless a run asks for it; then its session keeps the address', async () => {
    const one = await run({ task: 'one' });
    expect(await mailbox(one.sessionId)).toBeNull();
    (await waitForTask(agent, 'one')).finish({ success: true, output: null });
    await api.until(one.id, isEnded);
    const two = await run({ task: 'two', sessionId: one.sessionId, inbox: true });
    const address = await mailbox(one.sessionId);
    expect(address).toMatch(/^[a-z0-9-]{20,}@inbox\.localhost$/);
    (await waitForTask(agent, 'two')).finish({ success: true, output: null });
    await api.until(two.id, isEnded);
    await run({ task: 'three', sessionId: one.sessionId, inbox: false });
    expect(await mailbox(one.sessionId)).toBe(address);
    expect(await mailbox((await run({ task: 'four', inbox: true })).sessionId)).toMatch(/@inbox\.localhost$/);
  });
});

describe('judge', () => {
  it.each([[{}], [{ context: 'x'.repeat(10_000) }], [{ context: null }], [null]])('%j is accepted', async (judge) => {
    expect((await api.call('POST', '/runs', { task: 'one', judge })).status).toBe(200);
  });

  it.each([[true], [{ context: 'x'.repeat(10_001) }], [{ other: 1 }], [{ context: 1 }]])(
    '%j is refused',
    async (judge) => {
      expect((await api.call('POST', '/runs', { task: 'one', judge })).status).toBe(422);
    },
  );
});

describe('include_output', () => {
  it('false leaves the result out of the last event, and nothing else', async () => {
    const { id } = await run({ task: 'one' });
    (await waitForTask(agent, 'one')).finish({ success: true, output: 'the result' });
    await api.until(id, isEnded);
    const events = async (query: string): Promise<JsonObject[]> =>
      (await api.call('GET', `/runs/${id}/events${query}`)).body['events'] as JsonObject[];
    const last = (all: JsonObject[]): unknown => all.find(({ type }) => type === 'run.completed')?.['data'];
    const whole = await events('');
    expect(last(whole)).toEqual({ success: true, result: 'the result' });
    expect(await events('?include_output=true')).toEqual(whole);
    const short = await events('?include_output=false');
    expect(last(short)).toEqual({ success: true });
    expect(short.map((event) => event['id'])).toEqual(whole.map((event) => event['id']));
    expect((await api.call('GET', `/runs/${id}/events?include_output=maybe`)).status).toBe(422);
  });
});

describe('X-V4-Queue-Deduplicate', () => {
  async function send(sessionId: string, body: JsonObject, header?: string) {
    const response = await fetch(`${started.address}/api/v4/sessions/${sessionId}/queue`, {
      method: 'POST',
      headers: {
        'x-service-api-key': testKey,
        'content-type': 'application/json',
        ...(header === undefined ? {} : { 'x-v4-queue-deduplicate': header }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  }
  const texts = async (sessionId: string): Promise<unknown[]> =>
    ((await api.call('GET', `/sessions/${sessionId}/queue`)).body['queue'] as JsonObject[]).map(({ text }) => text);

  it('answers the message that waits already; other texts and plain messages are queued', async () => {
    const { sessionId } = await run({ task: 'one' });
    await waitForTask(agent, 'one');
    const first = await send(sessionId, { text: 'next' }, 'exact-text-v1');
    const again = await send(sessionId, { text: 'next' }, 'exact-text-v1');
    expect(again).toEqual(first);
    await send(sessionId, { text: 'Next' }, 'exact-text-v1');
    await send(sessionId, { text: 'next' });
    expect(await texts(sessionId)).toEqual(['next', 'Next', 'next']);
  });

  it('counts before the queue is full, and not what was taken or taken back', async () => {
    const { sessionId } = await run({ task: 'one' });
    await waitForTask(agent, 'one');
    const first = await send(sessionId, { text: '0' }, 'exact-text-v1');
    for (let index = 1; index < 10; index += 1) await send(sessionId, { text: String(index) });
    expect((await send(sessionId, { text: 'more' }, 'exact-text-v1')).status).toBe(429);
    expect((await send(sessionId, { text: '0' }, 'exact-text-v1')).body).toEqual(first.body);
    await api.call('DELETE', `/sessions/${sessionId}/queue/${String(first.body['id'])}`);
    expect((await send(sessionId, { text: '0' }, 'exact-text-v1')).body['id']).not.toBe(first.body['id']);
  });

  it('of two that come at the same moment one is queued', async () => {
    const { sessionId } = await run({ task: 'one' });
    await waitForTask(agent, 'one');
    await Promise.all(Array.from({ length: 8 }, () => send(sessionId, { text: 'next' }, 'exact-text-v1')));
    expect(await texts(sessionId)).toEqual(['next']);
  });

  it('is nothing for messages with files: each upload belongs to one of them', async () => {
    const { sessionId } = await run({ task: 'one' });
    await waitForTask(agent, 'one');
    const { workspaceId } = (await api.call('GET', `/sessions/${sessionId}`)).body;
    const uploads = [
      { name: 'a.txt', size: 1 },
      { name: 'b.txt', size: 1 },
    ];
    const [a, b] = await desk(api, String(workspaceId)).reserve({ files: uploads });
    for (const file of [a, b])
      await send(sessionId, { text: 'next', attachedFileIds: [file?.['id'] ?? null] }, 'exact-text-v1');
    const { queue } = (await api.call('GET', `/sessions/${sessionId}/queue`)).body;
    const attached = (queue as JsonObject[]).map(({ attachedFileIds }) => attachedFileIds);
    expect(attached).toEqual([[a?.['id']], [b?.['id']]]);
  });

  it('with an unknown word is refused', async () => {
    const { sessionId } = await run({ task: 'one' });
    const refused = await send(sessionId, { text: 'next' }, 'exact-text-v9');
    expect(refused.status).toBe(422);
    expect(refused.body['detail']).toMatchObject([{ loc: ['header', 'X-V4-Queue-Deduplicate'] }]);
  });
});

describe('steeringCutoffs', () => {
  it('name the runs that a message has interrupted, and no others', async () => {
    const one = await run({ task: 'one' });
    await waitForTask(agent, 'one');
    const cutoffs = async (): Promise<unknown> =>
      (await api.call('GET', `/sessions/${one.sessionId}/queue`)).body['steeringCutoffs'];
    expect(await cutoffs()).toEqual([]);
    const sent = await api.call('POST', `/sessions/${one.sessionId}/queue`, { text: 'instead', interrupt: true });
    await waitForTask(agent, 'instead');
    expect(await cutoffs()).toEqual([{ sourceRunId: one.id, createdAt: sent.body['createdAt'] }]);
    (await waitForTask(agent, 'instead')).finish({ success: true, output: null });
    await api.until(String(sent.body['runId']), isEnded);
    await api.call('POST', `/sessions/${one.sessionId}/queue`, { text: 'idle', interrupt: true });
    await waitForTask(agent, 'idle');
    expect(await cutoffs()).toHaveLength(1);
  });

  it('a message never interrupts the run that took it, also after another end of the previous run', async () => {
    const one = await run({ task: 'one' });
    const running = await waitForTask(agent, 'one');
    const { db, engine } = started.backend;
    const session = await engine.find(
      { projectId: await readProjectId(one.sessionId), generation: 'v4' },
      one.sessionId,
    );
    if (session === null) throw new Error('expected the session');
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const kysely = asKysely(db);
    const begin = kysely.transaction.bind(kysely);
    const spy = vi.spyOn(kysely, 'transaction').mockImplementationOnce(begin);
    // The message's second transaction, which ends the run, is delayed.
    spy.mockImplementationOnce(() => Object.assign(begin(), { execute: late(begin, gate) }));
    const sending = engine.send(session, { text: 'next', interrupt: true, attachedFileIds: [] });
    await vi.waitUntil(() => spy.mock.calls.length === 2);
    running.finish({ success: true, output: null });
    const next = await waitForTask(agent, 'next');
    open();
    await sending;
    expect(next.world.signal.aborted).toBe(false);
    expect(await engine.interruptingMessages(session)).toEqual([]);
  });

  async function readProjectId(sessionId: string): Promise<string> {
    const { db } = started.backend;
    const query = db.selectFrom('sessions').select('projectId').where('id', '=', sessionId);
    return (await query.executeTakeFirstOrThrow()).projectId;
  }

  type Begin = ReturnType<typeof asKysely>['transaction'];

  /** Returns a function like `execute` of a transaction. The transaction begins only when `gate` has resolved. */
  function late(begin: Begin, gate: Promise<void>): ReturnType<Begin>['execute'] {
    return async (work) => {
      await gate;
      return begin().execute(work);
    };
  }
});

it.each(['/runs', '/sessions'])('GET %s refuses a foreign cursor', async (path) => {
  expect((await api.call('GET', `${path}?cursor=nonsense`)).status).toBe(400);
});

it.each([
  ['gpt-5.6-luna', 1_050_000],
  ['claude-opus-5', 1_000_000],
  ['gemini-3-flash', 1_048_576],
  ['kimi-k3', 200_000],
])('contextLimit is the context of the model, or the default without a published one: %s', async (model, want) => {
  const { id } = await run({ task: 'one', model });
  expect((await api.call('GET', `/runs/${id}`)).body['contextLimit']).toBe(want);
});

it('a run is dispatching while its sandbox starts, in the list by its V2 status too', async () => {
  const host = createGatedHost();
  const gated = await startBackend({ agent, host });
  try {
    const release = host.holdLaunches();
    const v4 = createApiClient(gated.address, testKey, 'v4');
    const v2 = createApiClient(gated.address, testKey, 'v2');
    const { body } = await v4.call('POST', '/runs', { task: 'one' });
    const task = await v2.call('POST', '/tasks', { task: 'two' });
    const id = String(body['id']);
    await v4.until(id, ({ status }) => status === 'dispatching');
    expect((await v4.call('GET', `/runs/${id}/status`)).body).toMatchObject({ status: 'dispatching' });
    await expect
      .poll(() => gated.backend.db.selectFrom('runs').select('status').execute())
      .toEqual([{ status: 'dispatching' }, { status: 'dispatching' }]);
    const created = await v2.call('GET', '/tasks?filterBy=created');
    expect(created.body['items']).toMatchObject([{ id: task.body['id'], status: 'created' }]);
    release();
    (await waitForTask(agent, 'one')).finish({ success: true, output: 'done' });
    expect(await v4.until(id, isEnded)).toMatchObject({ status: 'completed' });
  } finally {
    await gated.stop();
  }
});

it('a run that is cancelled while it is dispatching never runs', async () => {
  const host = createGatedHost();
  const gated = await startBackend({ agent, host });
  try {
    const release = host.holdLaunches();
    const v4 = createApiClient(gated.address, testKey, 'v4');
    const id = String((await v4.call('POST', '/runs', { task: 'one' })).body['id']);
    await v4.until(id, ({ status }) => status === 'dispatching');
    expect((await v4.call('POST', `/runs/${id}/cancel`)).body).toMatchObject({ status: 'cancelled' });
    release();
    expect((await v4.call('GET', `/runs/${id}`)).body).toMatchObject({ status: 'cancelled', answeredBy: null });
  } finally {
    await gated.stop();
  }
});

it('the browser of a session is a record of the list that names the session', async () => {
  const { id, sessionId } = await run({ task: 'one' });
  const running = await waitForTask(agent, 'one');
  const listed = async (more = ''): Promise<unknown> =>
    (await api.call('GET', `/browsers?agentSessionId=${sessionId}${more}`)).body['items'];
  const record = { id: sessionId, agentSessionId: sessionId, status: 'active', cdpUrl: null, finishedAt: null };
  expect(await listed()).toMatchObject([record]);
  expect([await listed('&filterBy=stopped'), await listed('&metadata=job'), await listed('&pageNumber=2')]).toEqual([
    [],
    [],
    [],
  ]);
  expect((await api.call('GET', '/browsers')).body).toMatchObject({ items: [], totalItems: 0 });
  const other = createApiClient(started.address, otherKey, 'v4');
  expect((await other.call('GET', `/browsers?agentSessionId=${sessionId}`)).body['items']).toEqual([]);
  running.finish({ success: true, output: 'done' });
  await api.until(id, isEnded);
});
