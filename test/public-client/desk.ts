import type { BackendChanges, StartedBackend } from '../support/start-backend.ts';
import { startBackend } from '../support/start-backend.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from '../support/scripted-agent.ts';
import type { AgentOutcome } from '#agent/agent.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Connection, connect } from './connection.ts';
import { type TestTime, createTestTime } from './test-time.ts';

/**
 * A backend whose tasks the test controls, a client that waits for them, and a clock that advances while the client
 * sleeps.
 */
export interface Desk {
  readonly started: StartedBackend;
  readonly agent: ScriptedAgent;
  readonly time: TestTime;
  /** The client that waits. */
  readonly client: Connection;
  /** A client of the test, besides the waiting client. */
  readonly api: ApiClient;
  /** Resolves when the agent has begun the task with this text. */
  begun(goal: string): Promise<void>;
  /** Lets the task with this text take one step. */
  step(goal: string): Promise<void>;
  /** Ends the task with this text. Resolves when a fetch of the record with this id shows the end. */
  finish(goal: string, id: string, outcome?: AgentOutcome): Promise<void>;
  /**
   * Makes the agent throw an error in the task with this text. Resolves when a fetch of the record with this id shows
   * the end.
   */
  fail(goal: string, id: string): Promise<void>;
  stop(): Promise<void>;
}

const ended: readonly string[] = [
  'idle',
  'stopped',
  'timed_out',
  'error',
  'finished',
  'completed',
  'failed',
  'cancelled',
];

/** Returns whether the record of a session, task or run shows an end. */
function hasEnded({ status }: JsonObject): boolean {
  return ended.includes(String(status));
}

/** Starts a backend and connects a client of one generation to it. */
export async function openDesk(version: 'v2' | 'v3' | 'v4', changes: BackendChanges = {}): Promise<Desk> {
  const agent = createScriptedAgent();
  const started = await startBackend({ agent, ...changes });
  const time = createTestTime(started.clock);
  const api = createApiClient(started.address, undefined, version);
  const seen = async (id: string): Promise<void> => void (await api.until(id, hasEnded));
  return {
    started,
    agent,
    time,
    api,
    client: connect({ baseUrl: `${started.address}/api/${version}`, time }),
    begun: async (goal) => void (await waitForTask(agent, goal)),
    step: async (goal) => (await waitForTask(agent, goal)).step(),
    async finish(goal, id, outcome = { success: true, output: `${goal} done` }) {
      (await waitForTask(agent, goal)).finish(outcome);
      await seen(id);
    },
    async fail(goal, id) {
      (await waitForTask(agent, goal)).fail(new Error('boom'));
      await seen(id);
    },
    stop: () => started.stop(),
  };
}
