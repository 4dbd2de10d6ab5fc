import type { Agent } from '#agent/agent.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type StartedSite, startSite } from '../../fixtures/sites/index.ts';
import { createApiClient } from '../support/api-client.ts';
import { testKey } from '../support/start-backend.ts';
import { type RealBackend, startRealBackend } from '../support/start-real-backend.ts';
import { desk, makeWorkspace } from '../support/workspace-client.ts';
import type { TaskEnd } from './judge-task.ts';
import type { Task } from './task-file.ts';

/**
 * Timeout of a task in milliseconds. A slow page takes ten seconds, and waiting for a mail that never arrives takes a
 * minute.
 */
const endMs = 240_000;

/** Runs a task on a new reference backend with real Chromium, against a site with a new state. */
export async function runTask(task: Task, agent: Agent): Promise<TaskEnd> {
  let backend: RealBackend | null = null;
  const site = await startSite(task.site, () => smtpPort(backend));
  try {
    backend = await startRealBackend({ agent, allow: site.hosts });
    const ended = await work(task, backend, site);
    return { claimed: ended['isTaskSuccessful'] === true, output: ended['output'], state: readState(site) };
  } finally {
    await backend?.stop();
    await site.close();
  }
}

async function work(task: Task, backend: RealBackend, site: StartedSite): Promise<JsonObject> {
  const v3 = createApiClient(backend.address, testKey, 'v3');
  const { status, body } = await v3.call('POST', '/sessions', {
    task: createGoal(task, site.origin),
    inbox: task.mailbox,
    ...(Object.keys(task.secrets).length === 0 ? {} : { sensitiveData: task.secrets }),
    ...(task.expect.output === undefined ? {} : { outputSchema: task.expect.output.schema }),
    workspaceId: await workspaceFor(task, backend),
  });
  if (status !== 200 && status !== 201) throw new Error(`${task.id} was refused: ${JSON.stringify(body)}`);
  return v3.until(String(body['id']), (session) => !['created', 'running'].includes(String(session['status'])), endMs);
}

/** Returns the wording of a task, with the address of its site in place of the placeholder. */
function createGoal({ wording, site }: Task, origin: string): string {
  return wording.replaceAll(`{${site}}`, origin);
}

/** Creates a workspace with the files of the task. Downloads of the task are stored there, too. */
async function workspaceFor({ files }: Task, { v4 }: RealBackend): Promise<string> {
  const workspaceId = await makeWorkspace(v4);
  for (const [name, text] of Object.entries(files)) await desk(v4, workspaceId).store(name, text);
  return workspaceId;
}

/** Returns the state of a site as parsed JSON. */
function readState(site: StartedSite): JsonObject {
  const state: unknown = JSON.parse(JSON.stringify(site.state()));
  if (!isJsonObject(state)) throw new TypeError('a state is an object');
  return state;
}

/** Returns the port of the backend's mail server; null before the backend starts, and without a mail server. */
function smtpPort(backend: RealBackend | null): number | null {
  return backend?.backend.mailPlace()?.port ?? null;
}
