import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { desk } from './workspace-client.ts';

/** Ids of one resource of each kind that a project can have. */
export interface ProjectResources {
  readonly v2Session: string;
  readonly v2Task: string;
  readonly v2File: string;
  readonly v3Session: string;
  readonly v3Message: string;
  readonly v3Workspace: string;
  readonly v4Session: string;
  readonly v4Run: string;
  readonly v4Message: string;
  readonly v4Workspace: string;
  readonly upload: string;
  readonly otherUpload: string;
  readonly browser: string;
  readonly profile: string;
}

/** Path of the only file in each workspace. */
export const filePath = { v3: 'secret.txt', v4: 'uploads/secret.txt' } as const;

/**
 * Creates one resource of each kind with a key. The V4 run is running and the V4 message is pending. All other tasks
 * have ended.
 */
export async function createResources(address: string, key: string): Promise<ProjectResources> {
  const v2 = createApiClient(address, key, 'v2');
  const v3 = createApiClient(address, key, 'v3');
  const v4 = createApiClient(address, key, 'v4');
  const profile = getId(await made(v4, '/profiles', { name: 'secret' }));
  const browser = getId(await made(v4, '/browsers', { metadata: { secret: 'yes' } }));
  return { profile, browser, ...(await ofV2(v2)), ...(await ofV3(v3)), ...(await ofV4(v4)) };
}

type Of<Prefix extends string> = Pick<ProjectResources, Extract<keyof ProjectResources, `${Prefix}${string}`>>;

async function ofV2(v2: ApiClient): Promise<Of<'v2'>> {
  const v2Session = getId(await made(v2, '/sessions', {}));
  await made(v2, `/sessions/${v2Session}/public-share`);
  const task = { task: "Write 'secret' to the file secret.txt", sessionId: v2Session };
  const v2Task = getId(await made(v2, '/tasks', task));
  const ended = await v2.until(v2Task, ({ status }) => status === 'finished');
  return { v2Session, v2Task, v2File: getId(first(ended, 'outputFiles')) };
}

async function ofV3(v3: ApiClient): Promise<Of<'v3'>> {
  const v3Workspace = getId(await made(v3, '/workspaces', { name: 'secret' }));
  await desk(v3, v3Workspace).store('secret.txt', 'secret');
  const v3Session = getId(await made(v3, '/sessions', { task: 'Say secret', keepAlive: true }));
  await v3.until(v3Session, ({ status }) => status === 'idle');
  const { body } = await v3.call('GET', `/sessions/${v3Session}/messages`);
  return { v3Workspace, v3Session, v3Message: getId(first(body, 'messages')) };
}

async function ofV4(v4: ApiClient): Promise<Of<'v4'> & Pick<ProjectResources, 'upload' | 'otherUpload'>> {
  const v4Workspace = getId(await made(v4, '/workspaces', { name: 'secret' }));
  await desk(v4, v4Workspace).store('secret.txt', 'secret');
  const [upload = '', otherUpload = ''] = (
    await desk(v4, v4Workspace).reserve({ files: ['one.txt', 'two.txt'].map((name) => ({ name, size: 6 })) })
  ).map(getId);
  const run = await made(v4, '/runs', { task: 'svc-test: slow 600', workspaceId: v4Workspace });
  const v4Run = getId(run);
  // After its first step, the run does not change for two minutes.
  await v4.until(v4Run, ({ status, totalInputTokens }) => status === 'running' && Number(totalInputTokens) > 0);
  const v4Session = String(run['sessionId']);
  const v4Message = getId(await made(v4, `/sessions/${v4Session}/queue`, { text: 'secret' }));
  return { v4Workspace, upload, otherUpload, v4Run, v4Session, v4Message };
}

async function made(api: ApiClient, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await api.call('POST', path, body);
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
  return answer.body;
}

function first(answer: JsonObject, member: string): JsonObject {
  const [item] = answer[member] as JsonObject[];
  if (item === undefined) throw new Error(`${member} is empty: ${JSON.stringify(answer)}`);
  return item;
}

function getId({ id }: JsonObject): string {
  return String(id);
}
