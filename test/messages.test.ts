import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v3');
});
afterEach(() => started.stop());

const isTerminal = ({ status }: JsonObject): boolean =>
  ['idle', 'stopped', 'timed_out', 'error'].includes(String(status));

async function create(body: JsonObject): Promise<string> {
  return String((await api.call('POST', '/sessions', body)).body['id']);
}

interface Page {
  readonly messages: readonly JsonObject[];
  readonly hasMore: unknown;
}

async function page(session: string, query = ''): Promise<Page> {
  const { status, body } = await api.call('GET', `/sessions/${session}/messages${query}`);
  expect(status).toBe(200);
  return { messages: body['messages'] as JsonObject[], hasMore: body['hasMore'] };
}

const texts = ({ messages }: Page): unknown[] => messages.map(({ data }) => data);
const ids = ({ messages }: Page): unknown[] => messages.map(({ id }) => id);

/** Completes a task after some steps, and waits until the session has ended. */
async function work(session: string, goal: string, steps: number): Promise<void> {
  const task = await waitForTask(agent, goal);
  for (let step = 0; step < steps; step += 1) await task.step();
  task.finish({ success: true, output: `${goal} done` });
  await api.until(session, isTerminal);
}

/**
 * Reads messages as the public client does (companion C14 and C15), while `act` runs. Each read requests the messages
 * after the last one read. When the session has ended, reads until a page is empty.
 */
async function stream(session: string, act: () => Promise<void>, start?: string): Promise<JsonObject[]> {
  const seen: JsonObject[] = [];
  const read = async (): Promise<number> => {
    const last = seen.at(-1)?.['id'] ?? start;
    const { messages } = await page(session, `?limit=100${last === undefined ? '' : `&after=${String(last)}`}`);
    seen.push(...messages);
    return messages.length;
  };
  await read();
  const acting = act();
  for (;;) {
    await read();
    if (isTerminal((await api.call('GET', `/sessions/${session}`)).body)) break;
  }
  while ((await read()) > 0);
  await acting;
  return seen;
}

describe('messages of a session', () => {
  it('are its task, its steps and its output', async () => {
    const id = await create({ task: 'goal', keepAlive: true });
    await work(id, 'goal', 1);
    const { messages } = await page(id);
    const common = { sessionId: id, hidden: false, createdAt: expect.stringMatching(/Z$/) };
    expect(messages).toEqual([
      {
        ...common,
        id: expect.any(String),
        role: 'human',
        type: 'user_message',
        data: 'goal',
        summary: 'goal',
        screenshotUrl: null,
      },
      {
        ...common,
        id: expect.any(String),
        role: 'ai',
        type: 'browser_action',
        data: '{"kind":"test"}',
        summary: 'step of goal',
        screenshotUrl: expect.stringContaining('/screenshots/'),
      },
      {
        ...common,
        id: expect.any(String),
        role: 'ai',
        type: 'completion',
        data: 'goal done',
        summary: 'goal done',
        screenshotUrl: null,
      },
    ]);
    const picture = await fetch(String(messages[1]?.['screenshotUrl']));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });

  it('say of a step whether it was about files', async () => {
    const id = await create({ task: 'goal', keepAlive: true });
    const running = await waitForTask(agent, 'goal');
    const usage = { inputTokens: 1, outputTokens: 1 };
    for (const kind of ['readFile', 'upload', 'writeFile'])
      await running.world.step({ summary: kind, action: { kind }, url: 'about:blank', usage });
    const { messages } = await page(id);
    expect(messages.slice(1).map(({ type }) => type)).toEqual(['file_operation', 'browser_action', 'file_operation']);
  });

  it.each([
    { name: 'structured output', outcome: { success: true, output: { title: 'x' } }, data: '{"title":"x"}' },
    {
      name: 'none, with a reason',
      outcome: { success: false, output: null, reason: 'no such\npage' },
      data: 'no such\npage',
    },
    { name: 'none', outcome: { success: true, output: null }, data: '' },
  ])('an output that is $name', async ({ outcome, data }) => {
    const id = await create({ task: 'goal' });
    (await waitForTask(agent, 'goal')).finish(outcome);
    await api.until(id, isTerminal);
    expect((await page(id)).messages.at(-1)).toMatchObject({
      type: 'completion',
      data,
      summary: data.replace('\n', ' '),
    });
  });

  it('are empty without a task, and contain only the task when it was stopped', async () => {
    const idle = await create({ keepAlive: true });
    expect(await page(idle)).toEqual({ messages: [], hasMore: false });
    const stopped = await create({ task: 'goal' });
    await waitForTask(agent, 'goal');
    await api.call('POST', `/sessions/${stopped}/stop`);
    expect(texts(await page(stopped))).toEqual(['goal']);
  });

  it('are read by both cursors, which are exclusive, oldest first, and never change', async () => {
    const id = await create({ task: 'goal', keepAlive: true });
    await work(id, 'goal', 6);
    const all = await page(id, '?limit=100');
    expect(all.messages).toHaveLength(8);
    const at = (index: number): string => String(ids(all)[index]);
    expect(all.hasMore).toBe(false);

    const forward = await page(id, `?after=${at(0)}&limit=3`);
    expect([ids(forward), forward.hasMore]).toEqual([ids(all).slice(1, 4), true]);
    const rest = await page(id, `?after=${at(3)}&limit=4`);
    expect([ids(rest), rest.hasMore]).toEqual([ids(all).slice(4), false]);
    expect(await page(id, `?after=${at(7)}`)).toEqual({ messages: [], hasMore: false });

    const back = await page(id, `?before=${at(5)}&limit=2`);
    expect([ids(back), back.hasMore]).toEqual([ids(all).slice(3, 5), true]);
    expect(await page(id, `?before=${at(0)}`)).toEqual({ messages: [], hasMore: false });
    const between = await page(id, `?after=${at(1)}&before=${at(5)}&limit=2`);
    expect([ids(between), between.hasMore]).toEqual([ids(all).slice(2, 4), true]);

    const newest = await page(id, '?limit=1');
    expect([ids(newest), newest.hasMore]).toEqual([[at(7)], true]);
    expect(ids(await page(id))).toEqual(ids(all));

    await api.call('POST', '/sessions', { sessionId: id, task: 'more' });
    await work(id, 'more', 2);
    const later = await page(id, '?limit=100');
    expect(ids(later).slice(0, 8)).toEqual(ids(all));
    expect(texts(later).slice(8)).toEqual(['more', '{"kind":"test"}', '{"kind":"test"}', 'more done']);
    const steps = await page(id, `?after=${String(ids(later)[8])}&limit=1`);
    expect(steps.messages[0]).toMatchObject({ summary: 'step of more' });
  });

  it('the ten newest are shown without a limit', async () => {
    const id = await create({ task: 'goal', keepAlive: true });
    await work(id, 'goal', 12);
    const all = await page(id, '?limit=100');
    const shown = await page(id);
    expect([ids(shown), shown.hasMore]).toEqual([ids(all).slice(-10), true]);
  });

  it.each(['after', 'before'])('a message of another session is no place for %s', async (name) => {
    const one = await create({ task: 'one' });
    const two = await create({ task: 'two' });
    const message = (await page(two)).messages[0]?.['id'];
    for (const id of [message, crypto.randomUUID()]) {
      expect(await api.call('GET', `/sessions/${one}/messages?${name}=${String(id)}`)).toMatchObject({
        status: 422,
        body: {
          detail: [{ loc: ['query', name], msg: `Expected the id of a message of this session, found ${String(id)}` }],
        },
      });
    }
  });

  it.each(['limit=0', 'limit=101', 'after=x', 'before=1'])('refuses %s', async (query) => {
    const id = await create({ task: 'goal' });
    expect((await api.call('GET', `/sessions/${id}/messages?${query}`)).status).toBe(422);
  });

  it('do not exist for another project, nor after the deletion of the session', async () => {
    const id = await create({ task: 'goal' });
    const other = createApiClient(started.address, otherKey, 'v3');
    const missing = { status: 404, body: { detail: 'Session not found' } };
    expect(await other.call('GET', `/sessions/${id}/messages`)).toEqual(missing);
    await api.call('DELETE', `/sessions/${id}`);
    expect(await api.call('GET', `/sessions/${id}/messages`)).toEqual(missing);
  });
});

describe('a client that streams', () => {
  it('sees every message of a run once, and of a follow-up only what came after its start', async () => {
    const id = await create({ task: 'first', keepAlive: true });
    const first = await stream(id, () => work(id, 'first', 150));
    expect(first.map(({ data }) => data)).toEqual([
      'first',
      ...Array.from({ length: 150 }, () => '{"kind":"test"}'),
      'first done',
    ]);
    expect(new Set(first.map((message) => message['id'])).size).toBe(first.length);

    const newest = (await page(id, '?limit=1')).messages.at(-1)?.['id'];
    expect(newest).toBe(first.at(-1)?.['id']);
    expect((await page(id, `?after=${String(newest)}&limit=100`)).messages).toEqual([]);
    await api.call('POST', '/sessions', { sessionId: id, task: 'second', keepAlive: true });
    const second = await stream(id, () => work(id, 'second', 3), String(newest));
    expect(second.map(({ data }) => data)).toEqual([
      'second',
      ...Array.from({ length: 3 }, () => '{"kind":"test"}'),
      'second done',
    ]);
    expect(second.slice(1, 4).every(({ summary }) => summary === 'step of second')).toBe(true);
  });
});
