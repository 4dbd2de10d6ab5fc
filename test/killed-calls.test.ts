import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpModels, type ModelStub, startModelStub, getUsage } from '../bench/sessions/model-stub.ts';
import { createSteppingAgent } from '../bench/sessions/stepping-agent.ts';
import { createApiClient } from './support/api-client.ts';
import { endProcesses } from './support/end-processes.ts';
import { quickFolder } from './support/quick-folder.ts';
import { startBackend } from './support/start-backend.ts';

/** Timeout for starting a process on a busy machine. */
const processMs = 120_000;

let stub: ModelStub;
let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  stub = await startModelStub({ least: 0, most: 0 });
  folder = quickFolder('svc-killed-');
});

afterEach(async () => {
  if (child !== undefined) await endProcesses([child]);
  await stub.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startChild(): Promise<string> {
  child = fork(join(import.meta.dirname, 'support/calling-service.ts'), [folder, stub.address]);
  const told: unknown[] = await once(child, 'message');
  return String(told[0]);
}

/** Returns the number of model calls for a task. */
const asked = (goal: string): number => stub.asked.get(goal) ?? 0;

describe('kill -9 while a model is called', () => {
  it(
    'ends the run as a crash, gives its money back, bills each booked call once and makes none again',
    async () => {
      const v4 = createApiClient(await startChild(), undefined, 'v4');
      const { body: run } = await v4.call('POST', '/runs', { task: 'goal', model: 'gpt-5.6-luna', maxCostUsd: 100 });
      await expect.poll(() => asked('goal')).toBeGreaterThan(3);
      stub.hold();
      await expect.poll(() => stub.waiting()).toBe(1);
      const calls = asked('goal');
      if (child !== undefined) await endProcesses([child]);
      stub.release();

      const agent = createSteppingAgent({ steps: 1000 });
      const again = await startBackend({ dataFolder: folder, agent, models: createHttpModels(stub.address) });
      try {
        const { db, engine } = again.backend;
        expect(await db.selectFrom('model_calls').selectAll().execute()).toEqual([]);
        const row = await db.selectFrom('runs').selectAll().executeTakeFirstOrThrow();
        const session = await db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
        expect([row.id, row.status]).toEqual([run['id'], 'crashed']);
        // The pending call was never booked; every other call was booked once.
        const booked = Array.from({ length: calls - 1 }, (_, n) => getUsage(n));
        const input = booked.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
        const output = booked.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
        const picos = input * 200_000 + output * 1_200_000;
        expect([row.inputTokens, row.outputTokens, row.llmPicos]).toEqual([input, output, picos]);
        expect([session.inputTokens, session.outputTokens, session.llmPicos]).toEqual([input, output, picos]);
        expect(engine.costs(session).llm).toBe(Math.ceil(picos / 1_000_000));
        expect(asked('goal')).toBe(calls);
      } finally {
        await again.stop();
      }
    },
    processMs,
  );
});
