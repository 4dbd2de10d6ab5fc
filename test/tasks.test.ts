import manifest from '../package.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOfflinePlanner } from '#planner/index.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v2');
});

afterEach(() => started.stop());

const isEnded = ({ status }: JsonObject): boolean => status === 'finished' || status === 'stopped';

async function create(body: JsonObject): Promise<string> {
  const { status, body: task } = await api.call('POST', '/tasks', body);
  expect(status).toBe(202);
  expect(Object.keys(task)).toEqual(['id', 'sessionId']);
  return String(task['id']);
}

describe('a V2 task', () => {
  it('works step by step and finishes', async () => {
    const id = await create({ task: 'goal', llm: 'o3', thinkingLevel: 'low' });
    const task = await waitForTask(agent, 'goal');
    expect((await api.call('GET', `/tasks/${id}/status`)).body).toMatchObject({ status: 'started', output: null });
    await task.step();
    const { body: early } = await api.call('GET', `/tasks/${id}`);
    await task.step();
    task.finish({ success: true, output: { title: 'x' } });
    const late = await api.until(id, isEnded);
    expect(late).toMatchObject({ status: 'finished', isSuccess: true, output: '{"title":"x"}', llm: 'o3' });
    const numbers = (late['steps'] as JsonObject[]).map((step) => step['number']);
    expect([(early['steps'] as unknown[]).length, numbers]).toEqual([1, [1, 2]]);
    expect(late['createdAt']).toMatch(/\.\d{3}Z$/);
  });

  it.each([
    { name: 'gave up', end: 'finish', status: 'finished', isSuccess: false },
    { name: 'crashed', end: 'fail', status: 'finished', isSuccess: false },
    { name: 'was stopped', end: 'stop', status: 'stopped', isSuccess: null },
  ])('that $name', async ({ end, status, isSuccess }) => {
    const id = await create({ task: 'goal' });
    const task = await waitForTask(agent, 'goal');
    if (end === 'finish') task.finish({ success: false, output: null });
    if (end === 'fail') task.fail(new Error('boom'));
    if (end === 'stop') await api.call('PATCH', `/tasks/${id}`, { action: 'stop' });
    const ended = await api.until(id, isEnded);
    expect(ended).toMatchObject({ status, isSuccess });
    const again = await api.call('PATCH', `/tasks/${id}`, { action: 'stop_task_and_session' });
    expect(again).toEqual({ status: 200, body: ended });
  });

  it.each([true, false])('thinking: %s chooses no depth and replaces none', async (thinking) => {
    await create({ task: 'goal', llm: 'gpt-4.1', thinking });
    const { status } = await api.call('POST', '/tasks', {
      task: 'goal',
      llm: 'gpt-4.1',
      thinking,
      thinkingLevel: 'low',
    });
    expect(status).toBe(422);
  });

  it('lists by page and status', async () => {
    for (const task of ['a', 'b', 'c']) {
      await create({ task });
      started.clock.advance(10);
    }
    (await waitForTask(agent, 'b')).finish({ success: true, output: 'x' });
    const { body: running } = await api.call('GET', '/tasks?filterBy=started');
    const { body: page } = await api.call('GET', '/tasks?pageSize=2&pageNumber=2');
    expect(page).toMatchObject({ totalItems: 3, pageNumber: 2, pageSize: 2 });
    expect((page['items'] as JsonObject[]).map((item) => item['task'])).toEqual(['a']);
    expect((running['items'] as JsonObject[]).every((item) => item['status'] === 'started')).toBe(true);
  });

  it('does not exist for another project', async () => {
    const id = await create({ task: 'goal' });
    const other = createApiClient(started.address, otherKey, 'v2');
    for (const [method, path, body] of [
      ['GET', `/tasks/${id}`, undefined],
      ['GET', `/tasks/${id}/status`, undefined],
      ['PATCH', `/tasks/${id}`, { action: 'stop' }],
    ] as const) {
      expect(await other.call(method, path, body)).toEqual({ status: 404, body: { detail: 'Task not found' } });
    }
    expect((await other.call('GET', '/tasks')).body['items']).toEqual([]);
  });
});

it('the balance falls by what was spent', async () => {
  const before = (await api.call('GET', '/billing/account')).body;
  const id = await create({ task: 'goal' });
  const task = await waitForTask(agent, 'goal');
  await task.step(1_000_000);
  task.finish({ success: true, output: 'x' });
  const { cost } = await api.until(id, isEnded);
  const after = (await api.call('GET', '/billing/account')).body;
  expect(Number(before['totalCreditsBalanceUsd']) - Number(after['totalCreditsBalanceUsd'])).toBeCloseTo(
    Number(cost),
    6,
  );
  expect(Number(cost)).toBeGreaterThan(5);
  const other = createApiClient(started.address, otherKey, 'v2');
  expect((await other.call('GET', '/billing/account')).body['totalCreditsBalanceUsd']).toBe(100);
});

it('V3 shows the same account', async () => {
  const v3 = createApiClient(started.address, testKey, 'v3');
  expect(await v3.call('GET', '/billing/account')).toEqual(await api.call('GET', '/billing/account'));
});

describe('what a V2 task may ask for', () => {
  const schema = JSON.stringify({ type: 'object', required: ['title'], properties: { title: { type: 'string' } } });

  /** Runs a task with the offline planner, which really uses the simulated tab. Returns the final record. */
  async function planned(body: JsonObject): Promise<JsonObject> {
    await started.stop();
    started = await startBackend({ agent: createOfflinePlanner({ testTasks: true }) });
    api = createApiClient(started.address, testKey, 'v2');
    return api.until(await create(body), isEnded);
  }

  it('shows the goal of each step and what came of the step before', async () => {
    const ended = await planned({ task: 'Open https://shop.example/ and reply with the exact text: hello world' });
    expect(ended).toMatchObject({
      output: 'hello world',
      steps: [
        {
          memory: 'Opened https://shop.example/ - shop.example',
          evaluationPreviousGoal: 'There is no step before this step.',
          nextGoal: 'Open https://shop.example/.',
        },
        {
          evaluationPreviousGoal: 'Step 1: Opened https://shop.example/ - shop.example',
          nextGoal: 'Answer "hello world".',
        },
      ],
    });
  });

  it('structuredOutput: the output is the JSON text of what the schema describes', async () => {
    const ended = await planned({ task: 'Open https://shop.example and tell me the title', structuredOutput: schema });
    expect(ended).toMatchObject({ status: 'finished', isSuccess: true });
    expect(JSON.parse(String(ended['output']))).toEqual({ title: 'shop.example' });
  });

  it.each([
    { output: 'text', shown: '"text"' },
    { output: null, shown: 'null' },
    { output: 7, shown: '7' },
  ])('structuredOutput: $output is shown as $shown', async ({ output, shown }) => {
    const id = await create({ task: 'goal', structuredOutput: '{}' });
    const task = await waitForTask(agent, 'goal');
    expect(task.task.outputSchema).toEqual({});
    task.finish({ success: true, output });
    expect((await api.until(id, isEnded))['output']).toBe(shown);
  });

  it.each([
    { name: 'no JSON', body: { structuredOutput: '{"type":' }, place: 'structuredOutput' },
    { name: 'no schema', body: { structuredOutput: '{"type":7}' }, place: 'structuredOutput' },
    { name: 'no object', body: { structuredOutput: '[]' }, place: 'structuredOutput' },
    {
      name: 'a schema of elsewhere',
      body: { structuredOutput: '{"$ref":"https://a.example/s"}' },
      place: 'structuredOutput',
    },
    { name: 'a start without scheme', body: { startUrl: 'shop.example' }, place: 'startUrl' },
    { name: 'a file as start', body: { startUrl: 'file:///etc/passwd' }, place: 'startUrl' },
    { name: 'no step', body: { maxSteps: 0 }, place: 'maxSteps' },
    { name: 'too many steps', body: { maxSteps: 10_001 }, place: 'maxSteps' },
    { name: 'half a step', body: { maxSteps: 1.5 }, place: 'maxSteps' },
    { name: 'no step at all', body: { maxSteps: null }, place: 'maxSteps' },
    {
      name: 'eleven labels',
      body: { metadata: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, 'v'])) },
      place: 'metadata',
    },
    { name: 'a label that is a number', body: { metadata: { a: 1 } }, place: 'metadata,a' },
    { name: 'a domain with a path', body: { allowedDomains: ['a.example/b'] }, place: 'allowedDomains,0' },
    { name: 'a domain that is anything', body: { allowedDomains: ['*'] }, place: 'allowedDomains,0' },
    { name: 'an unknown vision', body: { vision: 'sometimes' }, place: 'vision' },
    { name: 'an endless prompt', body: { systemPromptExtension: 'x'.repeat(10_001) }, place: 'systemPromptExtension' },
    { name: 'an endless truth', body: { judgeGroundTruth: 'x'.repeat(10_001) }, place: 'judgeGroundTruth' },
    { name: 'an unknown judge', body: { judgeLlm: 'nobody' }, place: 'judgeLlm' },
    { name: 'a flash that is text', body: { flashMode: 'yes' }, place: 'flashMode' },
  ])('$name is refused, and nothing is created', async ({ body, place }) => {
    const refused = await api.call('POST', '/tasks', { task: 'goal', ...body });
    expect(refused.status).toBe(422);
    const [detail] = refused.body['detail'] as JsonObject[];
    expect(String(detail?.['loc'])).toBe(`body,${place}`);
    expect((await api.call('GET', '/tasks')).body['totalItems']).toBe(0);
  });

  it('metadata: is shown again in the record and in lists', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, `v${index}`]));
    const id = await create({ task: 'goal', metadata });
    expect((await api.call('GET', `/tasks/${id}`)).body['metadata']).toEqual(metadata);
    const { body } = await api.call('GET', '/tasks');
    expect(isJsonObject((body['items'] as JsonObject[])[0]?.['metadata'])).toBe(true);
    const none = await create({ task: 'other', metadata: null });
    expect((await api.call('GET', `/tasks/${none}`)).body['metadata']).toEqual({});
  });

  it('startUrl: its page is open before the agent begins', async () => {
    const ended = await planned({ task: 'Tell me the title', startUrl: 'https://shop.example/a' });
    expect(ended).toMatchObject({
      isSuccess: true,
      output: 'shop.example',
      steps: [{ url: 'https://shop.example/a' }],
    });
    const failed = await planned({ task: 'Tell me the title', startUrl: 'https://gone.invalid/' });
    expect(failed).toMatchObject({ status: 'finished', isSuccess: false, steps: [] });
    expect(failed['output']).toContain('gone.invalid is unknown');
  });

  it('maxSteps: the task ends without success and says why', async () => {
    const body = { task: 'Open https://a.example, open https://b.example, open https://c.example' };
    const ended = await planned({ ...body, maxSteps: 2 });
    expect(ended).toMatchObject({ status: 'finished', isSuccess: false });
    expect(ended['output']).toBe('I used all 2 steps that the task may take.');
    expect((ended['steps'] as JsonObject[]).map(({ url }) => url)).toEqual([
      'https://a.example/',
      'https://b.example/',
    ]);
    expect(await planned({ ...body, maxSteps: 3 })).toMatchObject({ isSuccess: true });
  });

  it('maxSteps: is 100 when it is left out', async () => {
    await create({ task: 'goal' });
    expect((await waitForTask(agent, 'goal')).task.settings).toEqual({ maxSteps: 100, vision: true, suggests: true });
  });

  it('allowedDomains: the tab stays inside', async () => {
    const allowedDomains = ['*.shop.example', 'https://b.example:8443'];
    const inside = await planned({ task: 'Open https://www.shop.example and click More', allowedDomains });
    expect(inside).toMatchObject({ isSuccess: true });
    const outside = await planned({
      task: 'Open https://shop.example, then open https://evil.example',
      allowedDomains,
    });
    expect(outside).toMatchObject({ isSuccess: false, steps: [{ url: 'https://shop.example/' }] });
    expect(outside['output']).toContain('evil.example, which is not one of the allowed domains');
    const start = await planned({ task: 'Tell me the title', startUrl: 'https://b.example/', allowedDomains });
    expect(start).toMatchObject({ isSuccess: false, steps: [] });
    expect(await planned({ task: 'Open https://a.example', allowedDomains: [] })).toMatchObject({ isSuccess: false });
  });

  it('settings of a model reach the agent within their bounds', async () => {
    const id = await create({
      task: 'goal',
      systemPromptExtension: 'x'.repeat(10_000),
      flashMode: true,
      vision: 'auto',
      highlightElements: true,
      judge: true,
      judgeGroundTruth: 'x'.repeat(10_000),
      judgeLlm: 'o3',
    });
    const task = await waitForTask(agent, 'goal');
    expect(task.task.settings?.systemPromptExtension).toHaveLength(10_000);
    expect(task.task.settings).toMatchObject({ flashMode: true, vision: 'auto', highlightElements: true });
    task.finish({ success: true, output: 'x' });
    expect(await api.until(id, isEnded)).toMatchObject({ isSuccess: true });
  });
});

describe('the log of a task', () => {
  it('is a text at a signed address, which expires', async () => {
    const id = await create({ task: 'goal\nsecond line' });
    const task = await waitForTask(agent, 'goal\nsecond line');
    await task.step();
    task.finish({ success: true, output: 'x' });
    await api.until(id, isEnded);
    const { status, body } = await api.call('GET', `/tasks/${id}/logs`);
    expect([status, Object.keys(body)]).toEqual([200, ['downloadUrl']]);
    const address = String(body['downloadUrl']);
    const response = await fetch(address);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      `task ${id} "goal\\nsecond line"`,
      'session.created',
      'session.dispatch',
      'browser.ready',
      'step "step of goal\\nsecond line" {"kind":"test"} at "about:blank"',
      'session.complete {"success":true}',
    ]);
    const other = await create({ task: 'other' });
    expect((await fetch(address.replace(id, other))).status).toBe(403);
    expect((await fetch(address.split('?')[0] ?? '')).status).toBe(403);
    started.clock.advance(300_001);
    expect((await fetch(address)).status).toBe(403);
  });

  it('does not exist before the task has begun, nor for another project', async () => {
    const host = createGatedHost();
    await started.stop();
    started = await startBackend({ agent, host });
    api = createApiClient(started.address, testKey, 'v2');
    const open = host.holdLaunches();
    const id = await create({ task: 'goal' });
    const detail = 'The task has not begun and has no log yet';
    expect(await api.call('GET', `/tasks/${id}/logs`)).toEqual({ status: 404, body: { detail } });
    open();
    await waitForTask(agent, 'goal');
    expect((await api.call('GET', `/tasks/${id}/logs`)).status).toBe(200);
    const stranger = createApiClient(started.address, otherKey, 'v2');
    expect(await stranger.call('GET', `/tasks/${id}/logs`)).toEqual({
      status: 404,
      body: { detail: 'Task not found' },
    });
  });
});

it('a leap second in a filter counts as the second before it', async () => {
  await create({ task: 'goal' });
  const { body } = await api.call('GET', '/tasks?before=2098-12-31T23:59:60Z');
  expect(body['totalItems']).toBe(1);
});

it('the time that a task shows is a filter as it stands, and means UTC', async () => {
  await create({ task: 'one' });
  started.clock.advance(2_000);
  const id = await create({ task: 'two' });
  const { body } = await api.call('GET', `/tasks/${id}`);
  const createdAt = String(body['createdAt']);
  const counted = async (query: string): Promise<unknown> =>
    (await api.call('GET', `/tasks?${query}`)).body['totalItems'];
  expect([await counted(`before=${createdAt}`), await counted(`before=${createdAt.slice(0, -1)}`)]).toEqual([1, 1]);
  expect([await counted(`after=${createdAt}`), await counted('after=2098-12-31T23:59:60')]).toEqual([0, 0]);
  for (const wrong of ['2026-13-01T00:00:00', '2026-01-01', '2026-01-01T25:00:00']) {
    expect((await api.call('GET', `/tasks?after=${wrong}`)).status).toBe(422);
  }
});

it('a task shows every member of its record, unset ones as null', async () => {
  const id = await create({ task: 'goal', judge: true });
  const { body } = await api.call('GET', `/tasks/${id}`);
  expect(body).toMatchObject({ svcVersion: manifest.version, judgement: null, judgeVerdict: null, suggestions: null });
});
