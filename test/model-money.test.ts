import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MeteredModel } from '#agent/model/model-call.ts';
import type { JsonObject } from '#lib/json.ts';
import { listOpenSessions, sumModelCosts } from '#store/queries/costs.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type Running, type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type ScriptedModels, asking, createScriptedModels, replied, untilAborted } from './support/scripted-models.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

const seed = Number(process.env['SVC_SEED'] ?? 20_261_121);

let started: StartedBackend;
let agent: ScriptedAgent;
let models: ScriptedModels;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  models = createScriptedModels();
  started = await startBackend({ agent, models });
  api = createApiClient(started.address, undefined, 'v4');
});

afterEach(() => started.stop());

const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

interface Begun {
  readonly id: string;
  readonly sessionId: string;
  readonly task: Running;
  readonly door: MeteredModel;
}

async function begin(body: JsonObject): Promise<Begun> {
  const { status, body: run } = await api.call('POST', '/runs', { task: 'goal', ...body });
  expect(status).toBe(200);
  const task = await waitForTask(agent, String(run['task'] ?? body['task'] ?? 'goal'));
  const door = task.world.model;
  if (door === null) throw new Error('the run has no model');
  return { id: String(run['id']), sessionId: String(run['sessionId']), task, door };
}

/**
 * Completes the task of a run. Returns the record of the run, and the cost of its tokens in micro-dollars as
 * `llmMicros`.
 */
async function end({ id, task }: Begun): Promise<JsonObject> {
  task.finish({ success: true, output: 'ok' });
  return { ...(await api.until(id, isEnded)), llmMicros: await readLlmMicros(id) };
}

async function readLlmMicros(id: string): Promise<number> {
  const row = await started.backend.db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return Math.ceil(row.llmPicos / 1_000_000);
}

/**
 * Returns the error of a rejected call as text; `answered` for a call that resolves. Handles the rejection at once,
 * because it may come while the test waits for another promise.
 */
const catchMessage = (called: Promise<unknown>): Promise<string> => called.then(() => 'answered', String);

const held = () => started.backend.db.selectFrom('model_calls').selectAll().execute();

describe('the money of model calls', () => {
  it('is booked by the price of the model, once, and steps of the same tokens book nothing more', async () => {
    const run = await begin({ model: 'claude-opus-4.7' });
    models.answering = async () => replied(1000, 100);
    await run.door.call(asking(500));
    await run.task.step(10);
    expect(await end(run)).toMatchObject({ totalInputTokens: 1000, totalOutputTokens: 100, llmMicros: 7500 });
    expect(await held()).toEqual([]);
  });

  it('of two models in one session adds up exactly, each at its own price', async () => {
    models.answering = async () => replied(1, 1);
    const first = await begin({ model: 'gpt-5.6-luna' });
    await first.door.call(asking(1));
    expect(await end(first)).toMatchObject({ llmMicros: 2 });
    const second = await begin({ model: 'glm-5.2', sessionId: first.sessionId });
    await second.door.call(asking(1));
    expect(await end(second)).toMatchObject({ llmMicros: 6 });
    // The costs of 0.2, 1.2, 1.4 and 4.4 micro-dollars are rounded once, as a sum.
    const row = await started.backend.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect([row.llmPicos, started.backend.engine.costs(row).llm]).toEqual([7_200_000, 8]);
  });

  it('of a failed call is what its provider charges all the same', async () => {
    const run = await begin({ model: 'claude-opus-4.7' });
    const failure = { kind: 'cut-off', message: 'cut' } as const;
    models.answering = async () => ({ ok: false, failure, usage: { inputTokens: 10, outputTokens: 2 } });
    expect(await run.door.call(asking(500))).toMatchObject({ ok: false });
    expect(await end(run)).toMatchObject({ totalInputTokens: 10, llmMicros: 100 });
  });

  it.each([1e12, Number.MAX_SAFE_INTEGER])(
    'of %d tokens a call stays readable, and so do the lists',
    async (tokens) => {
      const run = await begin({ model: 'claude-opus-4.7' });
      models.answering = async () => replied(tokens, tokens);
      for (let calls = 0; calls < 3; calls += 1) await run.door.call(asking(500));
      run.task.finish({ success: true, output: 'ok' });
      const { totalInputTokens } = await api.until(run.id, isEnded);
      expect(totalInputTokens).toBe(Math.min(3 * tokens, Number.MAX_SAFE_INTEGER - 1e14));
      for (const path of ['/runs', '/sessions', `/sessions/${run.sessionId}`])
        expect(await api.call('GET', path)).toMatchObject({ status: 200 });
      const { db } = started.backend;
      const { projectId } = await db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
      const period = { projectId, firstDay: 0 };
      expect(await listOpenSessions(db, period)).toHaveLength(1);
      expect(await sumModelCosts(db, period)).toHaveLength(1);
    },
  );

  it('is not spent where a call may not fit the ceiling: the run ends and says so', async () => {
    const run = await begin({ model: 'claude-opus-4.7', maxCostUsd: 0.01 });
    await expect(run.door.call(asking(500))).rejects.toThrow('ceiling');
    expect(models.calls).toEqual([]);
    expect(await api.until(run.id, isEnded)).toMatchObject({
      status: 'completed',
      result: 'cost ceiling reached: the run may cost 0.01 USD, and the next call to the model may not fit',
      totalInputTokens: 0,
    });
    expect(await readLlmMicros(run.id)).toBe(0);
  });

  it('shortens an answer to what is left, as long as it is of use', async () => {
    const run = await begin({ model: 'claude-opus-4.7', maxCostUsd: 0.05 });
    await run.door.call(asking(100_000));
    const asked = models.calls[0]?.request.maxOutputTokens ?? 0;
    expect(asked).toBeGreaterThanOrEqual(512);
    expect(asked).toBeLessThan(2000);
    await end(run);
  });

  it('is free again when the run is stopped during a call, and nothing is booked afterwards', async () => {
    const run = await begin({ model: 'claude-opus-4.7', maxCostUsd: 1 });
    models.answering = (_call, signal) => untilAborted(signal);
    const called = catchMessage(run.door.call(asking(500)));
    await expect.poll(held).toHaveLength(1);
    const { body } = await api.call('POST', `/runs/${run.id}/cancel`);
    expect(await called).toContain('stopped');
    await expect.poll(held).toEqual([]);
    expect((await api.call('GET', `/runs/${run.id}`)).body).toEqual(body);
  });

  it('of an answer that comes after the end is not booked', async () => {
    const run = await begin({ model: 'claude-opus-4.7' });
    const late = Promise.withResolvers<void>();
    models.answering = async () => {
      await late.promise;
      return replied(1000, 100);
    };
    const called = catchMessage(run.door.call(asking(500)));
    await expect.poll(held).toHaveLength(1);
    const { body } = await api.call('POST', `/runs/${run.id}/cancel`);
    late.resolve();
    // The agent's call rejects at once; the late answer is booked or dropped afterwards.
    expect(await called).toContain('stopped');
    await expect.poll(held).toEqual([]);
    expect((await api.call('GET', `/runs/${run.id}`)).body).toEqual(body);
  });

  it('never passes the ceiling and adds up, however many calls there are at once', async () => {
    const usage = fc.record({ input: fc.nat(2000), output: fc.nat(700), asked: fc.integer({ min: 512, max: 4000 }) });
    const rounds = fc.array(usage, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rounds, fc.integer({ min: 20_000, max: 200_000 }), async (calls, ceiling) => {
        const run = await begin({ model: 'claude-opus-4.7', maxCostUsd: ceiling / 1_000_000 });
        let expected = 0;
        let next = 0;
        models.answering = async ({ request }) => {
          const { input, output } = calls[next++ % calls.length] ?? { input: 0, output: 0 };
          const used = { input: Math.min(input, 1000), output: Math.min(output, request.maxOutputTokens) };
          expected += used.input * 5 + used.output * 25;
          return replied(used.input, used.output);
        };
        const side = calls.map(({ asked }) => run.door.call(asking(asked)));
        await Promise.allSettled(side);
        run.task.finish({ success: true, output: 'ok' });
        const ended = await api.until(run.id, isEnded);
        expect(Number(ended['totalCostUsd']) * 1_000_000).toBeLessThanOrEqual(ceiling);
        // A run that was ended in the middle books no costs of later answers.
        if (ended['result'] === 'ok') expect(await readLlmMicros(run.id)).toBe(expected);
        else expect(await readLlmMicros(run.id)).toBeLessThanOrEqual(expected);
        await expect.poll(held).toEqual([]);
      }),
      { seed, numRuns: 15 },
    );
  });
});
