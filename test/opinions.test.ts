import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '#agent/model/model-call.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type ScriptedModels, asking, createScriptedModels, replied } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let models: ScriptedModels;

beforeEach(async () => {
  agent = createScriptedAgent();
  models = createScriptedModels();
  started = await startBackend({ agent, models });
});

afterEach(() => started.stop());

const api = (version: 'v2' | 'v3' | 'v4'): ApiClient => createApiClient(started.address, testKey, version);
const isEnded = ({ status }: JsonObject): boolean =>
  ['completed', 'finished', 'stopped', 'idle'].includes(String(status));

/**
 * Returns a scripted model. It answers a request for a title with a title, and every other request with a judgement
 * that has this verdict.
 */
function opinion(verdict: boolean): (request: ModelRequest) => string {
  return ({ system }) =>
    system.startsWith('You name') ? '"Price of shoes."' : JSON.stringify({ verdict, reasoning: 'I have seen it.' });
}

const toText = ({ messages }: ModelRequest): string => JSON.stringify(messages);

async function events(id: string): Promise<JsonObject[]> {
  const { body } = await api('v4').call('GET', `/runs/${id}/events`);
  return Array.isArray(body['events']) ? body['events'].filter(isJsonObject) : [];
}

describe('the title of a task', () => {
  it('is what a model calls it, in its record and that of its session', async () => {
    models.opinion = opinion(true);
    const { body: run } = await api('v4').call('POST', '/runs', {
      task: 'Find the price of shoes on https://a.example/',
    });
    (await waitForTask(agent, 'Find the price of shoes on https://a.example/')).finish({
      success: true,
      output: 'x',
    });
    expect(await api('v4').until(String(run['id']), isEnded)).toMatchObject({ title: 'Price of shoes' });
    const { body: session } = await api('v4').call('GET', `/sessions/${String(run['sessionId'])}`);
    expect(session).toMatchObject({ title: 'Price of shoes' });
  });

  it('stays the first words of the goal where the model says nothing, and the task goes on', async () => {
    const { body: run } = await api('v4').call('POST', '/runs', { task: 'Find the price' });
    (await waitForTask(agent, 'Find the price')).finish({ success: true, output: 'x' });
    expect(await api('v4').until(String(run['id']), isEnded)).toMatchObject({ title: 'Find the price', result: 'x' });
  });

  it('is not asked for where the run has a ceiling', async () => {
    models.opinion = opinion(true);
    const { body: run } = await api('v4').call('POST', '/runs', { task: 'Find the price', maxCostUsd: 1 });
    (await waitForTask(agent, 'Find the price')).finish({ success: true, output: 'x' });
    expect(await api('v4').until(String(run['id']), isEnded)).toMatchObject({
      title: 'Find the price',
      totalInputTokens: 0,
    });
  });

  it('is not asked for where the agent works without a model', async () => {
    models.opinion = opinion(true);
    agent.worker = (goal) => (goal === 'Find the price' ? 'simulation' : 'model');
    const { body: run } = await api('v4').call('POST', '/runs', { task: 'Find the price' });
    (await waitForTask(agent, 'Find the price')).finish({ success: true, output: 'x' });
    expect(await api('v4').until(String(run['id']), isEnded)).toMatchObject({
      title: 'Find the price',
      totalInputTokens: 0,
    });
  });

  it('does not outlive a cancel', async () => {
    models.opinion = opinion(true);
    const { body: run } = await api('v4').call('POST', '/runs', { task: 'Find the price' });
    await waitForTask(agent, 'Find the price');
    const { body } = await api('v4').call('POST', `/runs/${String(run['id'])}/cancel`);
    expect(body).toMatchObject({ status: 'cancelled' });
  });
});

describe('a judge', () => {
  it.each([true, false])(
    'of a V4 run says %s beside what the agent says, and its tokens are the run’s',
    async (verdict) => {
      models.opinion = opinion(verdict);
      const { body: run } = await api('v4').call('POST', '/runs', {
        task: 'goal',
        judge: { context: 'It costs 4.' },
        maxCostUsd: 9,
      });
      const id = String(run['id']);
      const seen: string[] = [];
      models.opinion = (request) => {
        seen.push(toText(request));
        return opinion(verdict)(request);
      };
      const task = await waitForTask(agent, 'goal');
      await task.step(1);
      task.finish({ success: true, output: 'It costs 3.' });
      expect(await api('v4').until(id, isEnded)).toMatchObject({
        status: 'completed',
        result: 'It costs 3.',
        judgement: { verdict, reasoning: 'I have seen it.' },
        totalInputTokens: 3 + 1,
      });
      expect(seen).toEqual([expect.stringMatching(/It costs 4\..*It costs 3\./)]);
      expect((await events(id)).slice(-3).map(({ type, data }) => [type, data])).toEqual([
        ['model.call', { input_tokens: 3, output_tokens: 2 }],
        ['run.judged', { verdict, reasoning: 'I have seen it.' }],
        ['run.completed', expect.anything()],
      ]);
    },
  );

  it('of a V2 task gives a report as JSON text and a verdict', async () => {
    models.opinion = opinion(false);
    const { body: task } = await api('v2').call('POST', '/tasks', {
      task: 'goal',
      judge: true,
      judgeGroundTruth: 'It costs 4.',
    });
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'It costs 3.' });
    const record = await api('v2').until(String(task['id']), isEnded);
    expect(record).toMatchObject({ isSuccess: true, judgeVerdict: false });
    expect(JSON.parse(String(record['judgement']))).toEqual({ verdict: false, reasoning: 'I have seen it.' });
  });

  it('that was not requested is absent', async () => {
    models.opinion = opinion(false);
    const { body: task } = await api('v2').call('POST', '/tasks', { task: 'goal', judgeGroundTruth: 'It costs 4.' });
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'x' });
    expect(await api('v2').until(String(task['id']), isEnded)).toMatchObject({ judgement: null, judgeVerdict: null });
  });

  it('that fails leaves the task as it is', async () => {
    const { body: run } = await api('v4').call('POST', '/runs', { task: 'goal', judge: {} });
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'x' });
    expect(await api('v4').until(String(run['id']), isEnded)).toMatchObject({ status: 'completed', judgement: null });
  });

  it('sees and says no value of a secret', async () => {
    const seen: string[] = [];
    models.opinion = (request) => {
      seen.push(toText(request));
      return '{"verdict":true,"reasoning":"it typed hunter22secret"}';
    };
    const secretBindings = [
      { alias: 'password', source: { type: 'inline', value: 'hunter22secret' }, allowedDomains: ['a.example'] },
    ];
    const { status, body: run } = await api('v4').call('POST', '/runs', { task: 'goal', judge: {}, secretBindings });
    expect([status, run]).toEqual([200, expect.anything()]);
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'hunter22secret' });
    const record = await api('v4').until(String(run['id']), isEnded);
    expect(JSON.stringify([record, seen, await events(String(run['id']))])).not.toContain('hunter22secret');
    expect(record).toMatchObject({ judgement: { verdict: true } });
  });
});

it('every call to a model and every file is an event of its run', async () => {
  const { body: run } = await api('v4').call('POST', '/runs', { task: 'goal' });
  const id = String(run['id']);
  const task = await waitForTask(agent, 'goal');
  models.answering = async () => replied(7, 4);
  await task.world.model?.call(asking(100));
  await task.world.files.write('notes.txt', 'milk');
  await task.step();
  task.finish({ success: true, output: 'x' });
  await api('v4').until(id, isEnded);
  const told = (await events(id)).filter(({ type }) =>
    ['model.call', 'artifact.created', 'agent.step'].includes(String(type)),
  );
  const asked = told.filter(({ data }) => isJsonObject(data) && data['input_tokens'] !== 0);
  expect(asked.map(({ type, data }) => [type, data])).toEqual([
    ['model.call', { input_tokens: 7, output_tokens: 4 }],
    ['artifact.created', { path: 'notes.txt', size: 4, content_type: 'text/plain' }],
    ['agent.step', expect.objectContaining({ summary: expect.any(String) })],
  ]);
});

it('a program is a message of its kind, and what the model said is the next goal of its step', async () => {
  const step = {
    summary: 'Ran a program',
    action: { kind: 'run_code', source: '1', said: 'I count the rows.' },
    url: 'https://a.example/',
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  const { body: session } = await api('v3').call('POST', '/sessions', { task: 'first' });
  const first = await waitForTask(agent, 'first');
  await first.world.step(step);
  first.finish({ success: true, output: 'x' });
  await api('v3').until(String(session['id']), isEnded);
  const { body } = await api('v3').call('GET', `/sessions/${String(session['id'])}/messages`);
  const messages = Array.isArray(body['messages']) ? body['messages'].filter(isJsonObject) : [];
  expect(messages.map(({ type }) => type)).toEqual(['user_message', 'code_execution', 'completion']);
  const { body: task } = await api('v2').call('POST', '/tasks', { task: 'second' });
  const second = await waitForTask(agent, 'second');
  await second.world.step(step);
  second.finish({ success: true, output: 'x' });
  const record = await api('v2').until(String(task['id']), isEnded);
  expect(record).toMatchObject({ steps: [{ memory: 'Ran a program', nextGoal: 'I count the rows.' }] });
});

it('a cancel also ends a task whose judge does not answer', async () => {
  let asked = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  models.opinionUntilAborted = asked;
  const { body: run } = await api('v4').call('POST', '/runs', { task: 'goal', judge: {}, maxCostUsd: 9 });
  (await waitForTask(agent, 'goal')).finish({ success: true, output: 'x' });
  await reached;
  const { body } = await api('v4').call('POST', `/runs/${String(run['id'])}/cancel`);
  expect(body).toMatchObject({ status: 'cancelled', judgement: null, result: null });
  expect((await events(String(run['id']))).at(-1)).toMatchObject({ type: 'run.cancelled' });
});
