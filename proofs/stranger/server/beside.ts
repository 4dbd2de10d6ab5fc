/** URLs that are no API operation: screenshots, recordings, live pages, files, and the control of a test deployment. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './call.ts';
import { remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { crashSession } from './v3-life.ts';
import type { StoredFile, World } from './world.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const webm = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex');

interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Returns the response of a control, live view, media or file URL; null for any other URL. */
export function beside(world: World, request: Request): Answer | null {
  const { pathname } = request.url;
  if (pathname.startsWith('/control/')) return control(world, request);
  if (pathname.startsWith('/live/')) return live(world, request);
  if (pathname.startsWith('/media/')) return media(world, request);
  if (pathname.startsWith('/files/')) return file(world, request);
  return null;
}

function live(world: World, request: Request): Answer {
  const { searchParams } = request.url;
  if (isLiveOver(world, request.url)) return { status: 404, body: { detail: 'Not Found' } };
  if (searchParams.get('signin') === 'yes') return { status: 302, headers: { location: '/sign-in' } };
  const policy = searchParams.get('policy') === 'none' ? { 'content-security-policy': "frame-ancestors 'none'" } : {};
  const frames = searchParams.get('frames') === 'no' ? { 'x-frame-options': 'DENY' } : policy;
  const page = '<!doctype html><title>Live</title><body>The browser would be here.</body>';
  return { status: 200, body: Buffer.from(page), headers: { 'content-type': 'text/html; charset=utf-8', ...frames } };
}

/** Returns whether a fault has ended the URL of a live view. */
function isLiveOver(world: World, { pathname, searchParams }: URL): boolean {
  const id = pathname.slice('/live/'.length);
  const number = remember(world)[`live ${id}`];
  if (number !== undefined && Number(searchParams.get('n')) !== number) return true;
  const ids = world.projects.map((project) => [...project.sessions.keys()]).find((all) => all.includes(id));
  return ids !== undefined && ids.at(-1) !== id && world.faults.has('st-live-latest-only');
}

function media(world: World, request: Request): Answer {
  const { pathname } = request.url;
  if (pathname.endsWith('/denied.png')) return { status: 403, body: { detail: 'Forbidden' } };
  const hasKey = world.projects.some((project) => project.key === request.headers['x-service-api-key']);
  if (pathname.endsWith('/keyed.png') && !hasKey) return { status: 401, body: { detail: 'Missing key' } };
  if (pathname.endsWith('/empty.webm'))
    return { status: 200, body: Buffer.alloc(0), headers: { 'content-type': 'video/webm' } };
  if (pathname.endsWith('.webm')) return { status: 200, body: webm, headers: { 'content-type': 'video/webm' } };
  if (pathname.endsWith('.txt'))
    return { status: 200, body: Buffer.from('log\n'), headers: { 'content-type': 'text/plain' } };
  if (isOver(world, request.url)) return { status: 403, body: { detail: 'Expired' } };
  return { status: 200, body: pixel, headers: { 'content-type': 'image/png' } };
}

/** Returns whether the URL of a screenshot is too old, or a newer URL of the same screenshot has replaced the URL. */
function isOver(world: World, { pathname, searchParams }: URL): boolean {
  const until = Number(searchParams.get('until') ?? Infinity);
  const isLate =
    (Date.now() + world.clockOffsetMs) / 1000 > until && !world.faults.has('view3-screenshot-never-expires');
  const latest = remember(world)[`shot ${pathname}`] ?? null;
  return isLate || (latest !== null && latest !== searchParams.get('n'));
}

function file(world: World, request: Request): Answer {
  const [, , workspaceId = '', fileId = ''] = request.url.pathname.split('/');
  const workspace = world.projects
    .map((project) => project.workspaces.get(workspaceId))
    .find((found) => found !== undefined);
  const found = [...(workspace?.files.values() ?? [])].find((one) => one.id === fileId);
  if (!found) return { status: 404, body: { detail: 'Not Found' } };
  return request.method === 'PUT' ? put(world, found, request.bytes) : get(world, found);
}

function put(world: World, found: StoredFile, bytes: Buffer): Answer {
  found.bytes = world.faults.has('store-upload-lost') ? Buffer.alloc(0) : bytes;
  found.size = bytes.length;
  return { status: 200 };
}

function get(world: World, found: StoredFile): Answer {
  const bytes = world.faults.has('store-download-cut') ? found.bytes?.subarray(1) : found.bytes;
  return { status: 200, body: bytes ?? Buffer.alloc(0), headers: { 'content-type': found.contentType } };
}

function control(world: World, request: Request): Answer {
  const given: unknown = JSON.parse(request.bytes.toString('utf8') || '{}');
  if (!isObject(given)) return { status: 422, body: { detail: [] } };
  if (typeof given['advanceMs'] === 'number') world.clockOffsetMs += given['advanceMs'];
  if ('sandboxStart' in given) world.sandboxFails = given['sandboxStart'] === 'fail';
  if (typeof given['crashSession'] === 'string') {
    for (const project of world.projects) {
      const session = project.sessions.get(given['crashSession']);
      if (session) crashSession(world, session);
    }
  }
  return { status: 200, body: {} };
}
