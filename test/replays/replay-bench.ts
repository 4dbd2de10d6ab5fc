import type { Agent } from '#agent/agent.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { testKey } from '../support/start-backend.ts';
import { type RealBackend, startRealBackend } from '../support/start-real-backend.ts';
import { desk, makeWorkspace } from '../support/workspace-client.ts';
import type { TaskEnd } from '../tasks/judge-task.ts';
import type { Task } from '../tasks/task-file.ts';
import { type DriftingSite, type Rewrite, startDriftingSite } from './drifting-site.ts';

/** Timeout of a task on a busy machine; slow pages take ten seconds. */
const endMs = 120_000;

/** A run of a task as its caller sees it. */
export interface SeenRun extends TaskEnd {
  readonly session: JsonObject;
  /** Summaries of the messages of the run, in order. */
  readonly summaries: readonly string[];
  /** Milliseconds from the request to the end. */
  readonly tookMs: number;
  /** Reports of the pages. */
  readonly reports: readonly string[];
}

/** A reference service with real Chromium, and sites whose pages can change. */
export interface ReplayBench {
  readonly site: DriftingSite;
  /** URL of the service. */
  readonly address: string;
  readonly v4: RealBackend['v4'];
  /** Creates a workspace with the files of a task. */
  workspace(task: Task): Promise<string>;
  /** Runs a task on the service. The task's input is the origin of the site. */
  run(task: Task, how: RunOptions): Promise<SeenRun>;
  stop(): Promise<void>;
}

/** Options of a run. */
export interface RunOptions {
  readonly workspaceId: string;
  readonly rewrite: Rewrite;
  /** Members of the request. @defaultValue none */
  readonly more?: JsonObject;
}

/** Starts the service with an agent, and with a model if providers are given. */
export async function startReplayBench(agent: Agent, models?: ModelProviders): Promise<ReplayBench> {
  let backend: RealBackend | null = null;
  const site = await startDriftingSite(() => backend?.backend.mailPlace()?.port ?? null);
  backend = await startRealBackend({ agent, allow: site.hosts, ...(models === undefined ? {} : { models }) });
  const { v4, address } = backend;
  const v3 = createApiClient(address, testKey, 'v3');
  return {
    site,
    address,
    v4,
    async workspace({ files }) {
      const workspaceId = await makeWorkspace(v4);
      for (const [name, text] of Object.entries(files)) await desk(v4, workspaceId).store(name, text);
      return workspaceId;
    },
    async run(task, { workspaceId, rewrite, more = {} }) {
      await site.show(task.site, rewrite);
      const began = performance.now();
      const { status, body } = await v3.call('POST', '/sessions', {
        task: task.wording.replaceAll(`{${task.site}}`, `@{{${site.origin}}}`),
        inbox: task.mailbox,
        ...(Object.keys(task.secrets).length === 0 ? {} : { sensitiveData: task.secrets }),
        ...(task.expect.output === undefined ? {} : { outputSchema: task.expect.output.schema }),
        workspaceId,
        ...more,
      });
      if (status !== 200) throw new Error(`${task.id} was refused: ${JSON.stringify(body)}`);
      const id = String(body['id']);
      const session = await ended(v3, id);
      const tookMs = performance.now() - began;
      const { messages } = (await v3.call('GET', `/sessions/${id}/messages?limit=100`)).body;
      return {
        session,
        claimed: session['isTaskSuccessful'] === true,
        output: session['output'],
        state: plainState(site),
        summaries: (Array.isArray(messages) ? messages : []).map((one) =>
          isJsonObject(one) ? String(one['summary']) : '',
        ),
        tookMs,
        reports: [...site.reports()],
      };
    },
    async stop() {
      await backend.stop();
      await site.close();
    },
  };
}

/** Returns a session after its end. Stops a session that does not end in time. */
async function ended(v3: ApiClient, id: string): Promise<JsonObject> {
  const hasEnded = (one: JsonObject): boolean => !['created', 'running'].includes(String(one['status']));
  try {
    return await v3.until(id, hasEnded, endMs);
  } catch (error) {
    await v3.call('POST', `/sessions/${id}/stop`, {});
    if (error instanceof Error) return v3.until(id, hasEnded);
    throw error;
  }
}

function plainState(site: DriftingSite): JsonObject {
  const state: unknown = JSON.parse(JSON.stringify(site.state()));
  if (!isJsonObject(state)) throw new TypeError('found a state that is no object, expected an object');
  return state;
}
