import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { createHttpModels, type ModelStub, startModelStub, getUsage } from '../bench/sessions/model-stub.ts';
import { createSteppingAgent } from '../bench/sessions/stepping-agent.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

const sessions = 20;
const steps = 5;
const waitMs = 60_000;

let stub: ModelStub;
let started: StartedBackend;

beforeEach(async () => {
  stub = await startModelStub({ least: 1, most: 1 });
  started = await startBackend({
    agent: createSteppingAgent({ steps }),
    models: createHttpModels(stub.address),
    activeSessionsMax: sessions,
    grant: { creditMicros: 1_000_000_000 },
  });
});

afterEach(async () => {
  await started.stop();
  await stub.close();
});

/** Token usage of the steps of a run, one for each step. */
const usages = Array.from({ length: steps }, (_, n) => getUsage(n));
const inputTokens = usages.reduce((sum, usage) => sum + usage.inputTokens, 0);
const outputTokens = usages.reduce((sum, usage) => sum + usage.outputTokens, 0);
const llmMicros = inputTokens * 5 + outputTokens * 25;

describe(`${sessions} sessions at once`, () => {
  it(
    'lose no event and add up exactly',
    async () => {
      const v4 = createApiClient(started.address, undefined, 'v4');
      const goals = Array.from({ length: sessions }, (_, n) => `goal ${n}`);
      const created = await Promise.all(
        goals.map((task) => v4.call('POST', '/runs', { task, model: 'claude-opus-4.8', maxCostUsd: 5 })),
      );
      const ids = created.map(({ body }) => String(body['id']));
      const ended: JsonObject[] = [];
      for (const id of ids) ended.push(await v4.until(id, ({ status }) => status === 'completed', waitMs));
      expect(ended.map((run) => [run['result'], run['totalInputTokens'], run['totalOutputTokens']])).toEqual(
        goals.map(() => ['done', inputTokens, outputTokens]),
      );
      for (const id of ids) expect(await countEvents(id)).toMatchObject({ steps, total: 2 * steps + 4 });
      const rows = await started.backend.db.selectFrom('sessions').selectAll().execute();
      expect(rows.map((row) => [row.llmPicos, row.stepCount])).toEqual(goals.map(() => [llmMicros * 1_000_000, steps]));
      const projectId = String(rows[0]?.projectId);
      const shown = rows.reduce((sum, row) => sum + started.backend.engine.costs(row).total, 0);
      expect(await started.backend.engine.spentBy(projectId)).toBe(shown);
      expect(await started.backend.db.selectFrom('model_calls').selectAll().execute()).toEqual([]);
    },
    waitMs,
  );
});

/** Counts all events of a run, and the steps among them. Expects the steps in the order of their ids. */
async function countEvents(id: string): Promise<{ steps: number; total: number }> {
  const rows = await started.backend.db
    .selectFrom('events')
    .selectAll()
    .where('runId', '=', id)
    .orderBy('id')
    .execute();
  const summaries = rows.flatMap(({ type, data }) => {
    const value: unknown = JSON.parse(data);
    return type === 'step' && isJsonObject(value) ? [value['summary']] : [];
  });
  expect(summaries).toEqual(Array.from({ length: steps }, (_, n) => `Step ${n}`));
  return { steps: summaries.length, total: rows.length };
}
