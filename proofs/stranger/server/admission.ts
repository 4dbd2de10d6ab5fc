/** Finds the project of a request by its key. */
import type { IncomingMessage } from 'node:http';
import type { FaultId } from '../faults/index.ts';
import type { Project, World } from './world.ts';

/** One request before its authentication. */
export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

interface Attempt {
  readonly world: World;
  readonly operation: string;
  readonly key: string | undefined;
  readonly request: Request;
  readonly real: string;
}

/** Faults in which a request is served without the right key. */
const admissions: Partial<Record<FaultId, (attempt: Attempt) => boolean>> = {
  'auth-v3-get-open': (a) => a.operation === 'v3.get' && a.key === undefined,
  'auth-v3-list-open': (a) => a.operation === 'v3.list' && a.key === undefined,
  'auth-v3-create-open': (a) => a.operation === 'v3.create' && a.key === undefined,
  'auth-v3-stop-open': (a) => a.operation === 'v3.stop' && a.key === undefined,
  'auth-v3-delete-open': (a) => a.operation === 'v3.delete' && a.key === undefined,
  'auth-v3-messages-open': (a) => a.operation === 'v3.messages' && a.key === undefined,
  'auth-v2-create-open': (a) => a.operation === 'v2.create' && a.key === undefined,
  'auth-v2-get-open': (a) => a.operation === 'v2.get' && a.key === undefined,
  'auth-v2-status-open': (a) => a.operation === 'v2.status' && a.key === undefined,
  'auth-v2-list-open': (a) => a.operation === 'v2.list' && a.key === undefined,
  'auth-v2-patch-open': (a) => a.operation === 'v2.patch' && a.key === undefined,
  'auth-v2-account-open': (a) => a.operation === 'v2.account' && a.key === undefined,
  'auth-v4-create-open': (a) => a.operation === 'v4.create' && a.key === undefined,
  'auth-v4-get-open': (a) => a.operation === 'v4.getRun' && a.key === undefined,
  'auth-v4-status-open': (a) => a.operation === 'v4.status' && a.key === undefined,
  'auth-v4-events-open': (a) => a.operation === 'v4.events' && a.key === undefined,
  'auth-v4-list-open': (a) => a.operation === 'v4.list' && a.key === undefined,
  'auth-v4-cancel-open': (a) => a.operation === 'v4.cancel' && a.key === undefined,
  'auth-v4-browser-create-open': (a) => a.operation === 'v4.createBrowser' && a.key === undefined,
  'auth-v4-browser-patch-open': (a) => a.operation === 'v4.patchBrowser' && a.key === undefined,
  'auth-v4-browser-get-open': (a) => a.operation === 'v4.getBrowser' && a.key === undefined,
  'auth-v4-browsers-list-open': (a) => a.operation === 'v4.listBrowsers' && a.key === undefined,
  'auth-v4-queue-open': (a) => a.operation === 'v4.queue' && a.key === undefined,
  'auth-v3-wrong-key-get': (a) => a.operation === 'v3.get' && a.key !== undefined,
  'auth-v4-wrong-key-create': (a) => a.operation === 'v4.create' && a.key !== undefined,
  'auth-v4-wrong-key-patch': (a) => a.operation === 'v4.patchBrowser' && a.key !== undefined,
  'auth-v2-wrong-key-list': (a) => a.operation === 'v2.list' && a.key !== undefined,
  'auth-empty-v3-get': (a) => a.operation === 'v3.get' && a.key === '',
  'auth-empty-v4-runs': (a) => a.operation === 'v4.list' && a.key === '',
  'auth-empty-v2-create': (a) => a.operation === 'v2.create' && a.key === '',
  'auth-shortened': (a) => a.key !== undefined && a.key === a.real.slice(0, -1),
  'auth-shortened-v2-list': (a) => a.operation === 'v2.list' && a.key === a.real.slice(0, -1),
  'auth-prefix-only': (a) => a.key === 'svc_',
  'auth-any-prefixed': (a) => a.operation === 'v4.getRun' && a.key?.startsWith('svc_') === true,
  'auth-longer': (a) => a.key?.startsWith(a.real) === true,
  'auth-longer-v4-browsers': (a) => a.operation === 'v4.createBrowser' && a.key?.startsWith(a.real) === true,
  'auth-other-case': (a) => a.key?.toLowerCase() === a.real.toLowerCase(),
  'auth-other-case-v3-create': (a) => a.operation === 'v3.create' && a.key?.toLowerCase() === a.real.toLowerCase(),
  'auth-first-half': (a) => a.key !== undefined && a.key.slice(0, 12) === a.real.slice(0, 12),
  'auth-bearer': (a) => a.request.headers.authorization === `Bearer ${a.real}`,
  'auth-bearer-v3-list': (a) => a.operation === 'v3.list' && a.request.headers.authorization === `Bearer ${a.real}`,
  'auth-bearer-v4-get': (a) => a.operation === 'v4.getRun' && a.request.headers.authorization === `Bearer ${a.real}`,
  'auth-basic': (a) =>
    Buffer.from(a.request.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .includes(a.real),
  'auth-query-api-key': (a) => a.request.url.searchParams.get('api_key') === a.real,
  'auth-query-any-name': (a) => [...a.request.url.searchParams.values()].includes(a.real),
  'auth-query-v3-get': (a) => a.operation === 'v3.get' && [...a.request.url.searchParams.values()].includes(a.real),
  'auth-cookie': (a) => a.request.headers.cookie?.includes(a.real) === true,
  'auth-cookie-v2': (a) => a.operation.startsWith('v2') && a.request.headers.cookie?.includes(a.real) === true,
  'auth-x-api-key': (a) => a.request.headers['x-api-key'] === a.real,
  'auth-raw-authorization': (a) => a.request.headers.authorization === a.real,
  'ef-auth-in-body': (a) => a.key === undefined && a.request.bytes.includes(a.real),
  'ef-auth-listed': (a) => a.key?.split(',').some((one) => one.trim() === a.real) === true,
  'ef-auth-without-prefix': (a) => a.key === a.real.slice(4),
  'ef-auth-later-events-open': (a) =>
    a.operation === 'v4.events' && a.key === undefined && Number(a.request.url.searchParams.get('after') ?? 0) > 0,
  'ef-auth-finished-run-open': (a) => a.operation === 'v4.getRun' && a.key === undefined && isEnded(a),
  'ef-auth-finished-task-open': (a) => a.operation === 'v2.get' && a.key === undefined && isEnded(a),
  'at-cached-read-open': ({ key, request }) =>
    key === undefined && request.method === 'GET' && Date.now() - (readAt.get(request.url.href) ?? 0) < 1000,
  'pl-auth-profile-delete-open': (a) => a.operation.endsWith('.deleteProfile') && a.key === undefined,
  'pl-auth-profile-patch-open': (a) => a.operation === 'v3.patchProfile' && a.key === undefined,
  'pl-auth-downloads-open': (a) => a.operation === 'v4.listDownloads' && a.key === undefined,
  'pl-auth-upload-open': (a) => a.operation === 'v3.upload' && a.key === undefined,
  'pl-auth-file-delete-open': (a) => a.operation === 'v4.deleteFile' && a.key === undefined,
  'pl-auth-v2-logs-open': (a) => a.operation === 'v2.logs' && a.key === undefined,
  'pl-auth-v2-session-stop-open': (a) => a.operation === 'v2.patchSession' && a.key === undefined,
  'pl-auth-v2-share-open': (a) => a.operation === 'v2.share' && a.key === undefined,
  'at-second-try-open': (a) => isSecondTry(a),
  'ub-auth-get-any': (a) => a.request.method === 'GET' && a.key !== undefined,
  'ub-auth-last-letter': (a) => a.key?.length === a.real.length && a.key.slice(0, -1) === a.real.slice(0, -1),
  'ub-auth-bearer-v2-create': (a) =>
    a.operation === 'v2.create' && a.request.headers.authorization === `Bearer ${a.real}`,
  'ub-auth-empty-all': (a) => a.key === '',
  'st-auth-quoted': (a) => a.key === `"${a.real}"`,
  'st-auth-bearer-in-header': (a) => a.key === `Bearer ${a.real}`,
  'st-auth-apikey-scheme': (a) => a.request.headers.authorization?.toLowerCase() === `apikey ${a.real}`.toLowerCase(),
  'st-auth-token-scheme': (a) => a.request.headers.authorization?.toLowerCase() === `token ${a.real}`.toLowerCase(),
  'st-auth-header-api-key': (a) => a.request.headers['api-key'] === a.real,
  'st-auth-header-auth-token': (a) => a.request.headers['x-auth-token'] === a.real,
  'st-auth-query-access-token': (a) => a.request.url.searchParams.get('access_token') === a.real,
  'st-auth-query-header-name': (a) =>
    [...a.request.url.searchParams].some(([name, one]) => name.toLowerCase() === 'x-service-api-key' && one === a.real),
  'st-auth-v3-account-open': (a) => a.operation === 'v3.account' && a.key === undefined,
  'st-auth-v2-sessions-open': (a) => a.operation === 'v2.listSessions' && a.key === undefined,
  'st-auth-v2-session-create-open': (a) => a.operation === 'v2.createSession' && a.key === undefined,
  'st-auth-profiles-open': (a) => a.operation.endsWith('.listProfiles') && a.key === undefined,
  'st-auth-profile-create-open': (a) => a.operation === 'v4.createProfile' && a.key === undefined,
  'st-auth-workspaces-open': (a) => a.operation === 'v3.listWorkspaces' && a.key === undefined,
  'st-auth-workspace-create-open': (a) => a.operation === 'v4.createWorkspace' && a.key === undefined,
  'st-auth-v3-list-any': (a) => a.operation === 'v3.list' && a.key !== undefined,
  'st-auth-browsers-any': (a) => a.operation === 'v4.listBrowsers' && a.key !== undefined,
  'st-auth-empty-browser-create': (a) => a.operation === 'v4.createBrowser' && a.key === '',
  'st-auth-v4-sessions-open': (a) => a.operation === 'v4.listSessions' && a.key === undefined,
  'st-auth-size-open': (a) => a.operation.endsWith('.sizeWorkspace') && a.key === undefined,
  'st-auth-files-open': (a) => a.operation.endsWith('.listFiles') && a.key === undefined,
  'st-auth-status-any': (a) => a.operation === 'v2.status' && a.key !== undefined,
  'st-auth-v2-session-get-open': (a) => a.operation === 'v2.getSession' && a.key === undefined,
  'st-auth-v4-queue-list-open': (a) => a.operation === 'v4.listQueue' && a.key === undefined,
};

/** Faults in which a key has access to records of another project. */
const foreign: Partial<Record<FaultId, (operation: string) => boolean>> = {
  'ef-foreign-browser-stop': (operation) => operation === 'v4.patchBrowser',
  'ef-foreign-cancel': (operation) => operation === 'v4.cancel',
  'ef-foreign-events': (operation) => operation === 'v4.events',
  'ef-foreign-task-stop': (operation) => operation === 'v2.patch',
};

function holds(project: Project, url: URL): boolean {
  const ids = url.pathname.split('/');
  return [project.runs, project.tasks, project.browsers].some((records) => ids.some((id) => records.has(id)));
}

function isEnded({ world, request }: Attempt): boolean {
  const id = request.url.pathname.split('/').at(-1) ?? '';
  const ended = world.projects.flatMap((project) => [project.runs.get(id)?.status, project.tasks.get(id)?.status]);
  return ended.includes('completed') || ended.includes('finished');
}

/** Servers whose latest request with a key had a wrong key. */
const locked = new WeakSet<World>();

function isLocked(world: World, isRight: boolean): boolean {
  const wasLocked = locked.has(world);
  if (isRight) locked.delete(world);
  else locked.add(world);
  return isRight && wasLocked && world.faults.has('ef-auth-wrong-key-locks');
}

/** Times of the latest GET requests with a valid key, by URL. */
const readAt = new Map<string, number>();

/** Number of consecutive requests without a key, by server. */
const keyless = new WeakMap<World, number>();

function isSecondTry({ key, world }: Attempt): boolean {
  const tries = key === undefined ? (keyless.get(world) ?? 0) + 1 : 0;
  keyless.set(world, tries);
  return tries > 0 && tries % 2 === 0;
}

/**
 * Returns the project of the request's key, or the project to which an active fault gives access. Undefined for a
 * request that must be refused.
 */
export function identify(world: World, request: Request, operation: string): Project | undefined {
  const given = request.headers['x-service-api-key'];
  const key = Array.isArray(given) ? given[0] : given;
  const owner = world.projects.find((project) => project.key === key);
  if (key !== undefined && isLocked(world, owner !== undefined)) return undefined;
  const holder = world.projects.find((project) => project !== owner && holds(project, request.url));
  if (owner && holder && world.faults.some(foreign, operation)) return holder;
  if (owner) {
    if (request.method === 'GET') readAt.set(request.url.href, Date.now());
    return owner;
  }
  const first = world.projects[0];
  const attempt = { world, operation, key, request, real: first?.key ?? '' };
  return world.faults.some(admissions, attempt) ? first : undefined;
}
