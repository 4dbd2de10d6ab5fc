/** Operations on profiles, workspaces and their files. All generations of the API use the same records. */
import { refuse, text, type Answer, type Call } from './call.ts';
import { memberProblems, readQuery, requireIds, requireObject, settle, unknownMembers, type Field } from './checks.ts';
import { isObject } from './outputs.ts';
import { cursorPage, pageAnswer } from './pages.ts';
import { nextSerial, now, type Json, type Named, type StoredFile } from './world.ts';

const profileFields: readonly Field[] = [
  { name: 'name', kind: 'text', nullable: true, max: 100 },
  { name: 'userId', kind: 'text', nullable: true, max: 255 },
];

const workspaceFields: readonly Field[] = [{ name: 'name', kind: 'text', nullable: true, max: 100 }];

function create(call: Call, body: Json): Named {
  const at = now(call.world);
  return {
    id: call.world.dialect.id(),
    name: text(body, 'name'),
    userId: text(body, 'userId'),
    createdAt: at,
    updatedAt: at,
    archived: false,
    lastUsedAt: null,
    files: new Map(),
  };
}

function readBody(call: Call, fields: readonly Field[], isOptional: boolean): Json {
  const body = requireObject(call, isOptional);
  const unknown = call.world.dialect.strictBodies ? unknownMembers(fields, body, ['body']) : [];
  settle(call, body, [...memberProblems(fields, body, ['body']), ...unknown]);
  return body;
}

function profileView(call: Call, profile: Named): Json {
  const { dialect, faults } = call.world;
  return {
    id: profile.id,
    userId: faults.has('store-profile-user-lost') ? null : profile.userId,
    name: profile.name,
    lastUsedAt: null,
    createdAt: dialect.time(profile.createdAt),
    updatedAt: dialect.time(profile.updatedAt),
    cookieDomains: null,
  };
}

/** Creates a profile. */
export function postProfile(call: Call): Answer {
  const profile = create(call, readBody(call, profileFields, true));
  call.project.profiles.set(profile.id, profile);
  return { status: 201, body: profileView(call, profile) };
}

function findProfile(call: Call): Named {
  requireIds(call);
  const found = call.project.profiles.get((call.params['profile_id'] ?? '').toLowerCase());
  return found ?? refuse(call.world, 404, 'Profile not found');
}

/** Shows one profile. */
export function getProfile(call: Call): Answer {
  return { status: 200, body: profileView(call, findProfile(call)) };
}

/** Changes the name and the user id of a profile. */
export function patchProfile(call: Call): Answer {
  const body = readBody(call, profileFields, false);
  const profile = findProfile(call);
  if (!call.world.faults.has('store-profile-rename-ignored')) rename(call, profile, body);
  return { status: 200, body: profileView(call, profile) };
}

function rename(call: Call, named: Named, body: Json): void {
  if ('name' in body) named.name = text(body, 'name');
  if ('userId' in body) named.userId = text(body, 'userId');
  named.updatedAt = now(call.world);
}

/** Deletes a profile. */
export function deleteProfile(call: Call): Answer {
  requireIds(call);
  if (!call.world.faults.has('store-profile-delete-ignored'))
    call.project.profiles.delete((call.params['profile_id'] ?? '').toLowerCase());
  return { status: 204 };
}

const namedPage: readonly Field[] = [
  { name: 'pageSize', kind: 'integer', min: 1, max: 100 },
  { name: 'pageNumber', kind: 'integer', min: 1 },
  { name: 'query', kind: 'text', max: 200 },
];

/** Lists profiles. */
export function listProfiles(call: Call): Answer {
  const query = readQuery(call, namedPage);
  const wanted = call.world.faults.has('store-profile-query-ignored') ? '' : (text(query, 'query') ?? '').toLowerCase();
  const all = [...call.project.profiles.values()].toReversed();
  const kept = all.filter((one) => `${one.name ?? ''} ${one.userId ?? ''}`.toLowerCase().includes(wanted));
  return pageAnswer(call, { all: kept, query, show: (profile) => profileView(call, profile) });
}

/** Creates a workspace, for an operation that creates workspaces or for a new session. */
export function newWorkspace(call: Call, name: string | null): Named {
  const workspace = create(call, { name });
  call.project.workspaces.set(workspace.id, workspace);
  return workspace;
}

function workspaceView(call: Call, workspace: Named): Json {
  const { dialect } = call.world;
  return {
    id: workspace.id,
    name: workspace.name,
    ...(call.operation.startsWith('v4') ? { archived: workspace.archived } : {}),
    createdAt: dialect.time(workspace.createdAt),
    updatedAt: dialect.time(workspace.updatedAt),
  };
}

/** Creates a workspace. */
export function postWorkspace(call: Call): Answer {
  const body = readBody(call, workspaceFields, true);
  const workspace = newWorkspace(call, text(body, 'name'));
  return { status: call.operation.startsWith('v4') ? 200 : 201, body: workspaceView(call, workspace) };
}

function findWorkspace(call: Call): Named {
  requireIds(call);
  const found = call.project.workspaces.get((call.params['workspace_id'] ?? '').toLowerCase());
  return found ?? refuse(call.world, 404, 'Workspace not found');
}

/** Shows one workspace. */
export function getWorkspace(call: Call): Answer {
  return { status: 200, body: workspaceView(call, findWorkspace(call)) };
}

/** Renames a workspace. */
export function patchWorkspace(call: Call): Answer {
  const body = readBody(call, workspaceFields, false);
  const workspace = findWorkspace(call);
  if (!call.world.faults.has('store-workspace-rename-ignored')) rename(call, workspace, body);
  return { status: 200, body: workspaceView(call, workspace) };
}

/** Deletes a workspace of V3, or archives a workspace of V4. */
export function deleteWorkspace(call: Call): Answer {
  requireIds(call);
  const id = (call.params['workspace_id'] ?? '').toLowerCase();
  const found = call.project.workspaces.get(id);
  if (call.operation.startsWith('v4') && found) found.archived = true;
  else if (!call.world.faults.has('store-workspace-delete-ignored')) call.project.workspaces.delete(id);
  return { status: 204 };
}

/** Lists the workspaces that are not archived, newest first. */
export function listWorkspaces(call: Call): Answer {
  const query = readQuery(call, namedPage);
  const all = [...call.project.workspaces.values()].toReversed().filter((workspace) => !workspace.archived);
  return pageAnswer(call, { all, query, show: (workspace) => workspaceView(call, workspace) });
}

/** Returns the used and the maximum number of bytes of a workspace. */
export function sizeWorkspace(call: Call): Answer {
  const workspace = findWorkspace(call);
  const used = [...workspace.files.values()].reduce((sum, file) => sum + (file.bytes?.length ?? 0), 0);
  return {
    status: 200,
    body: { usedBytes: call.world.faults.has('store-size-zero') ? 0 : used, maxBytes: 1_073_741_824 },
  };
}

const filePage: readonly Field[] = [
  { name: 'prefix', kind: 'text' },
  { name: 'limit', kind: 'integer', min: 1, max: 100 },
  { name: 'cursor', kind: 'text' },
  { name: 'includeUrls', kind: 'boolean' },
  { name: 'shallow', kind: 'boolean' },
];

/** Lists the files of a workspace. */
export function listFiles(call: Call): Answer {
  const query = readQuery(call, filePage);
  const workspace = findWorkspace(call);
  const { faults } = call.world;
  const prefix = faults.has('store-prefix-ignored') ? '' : (text(query, 'prefix') ?? '');
  const all = [...workspace.files.values()].filter((file) => file.bytes !== null && file.path.startsWith(prefix));
  const page = cursorPage(call, all, { cursor: text(query, 'cursor'), limit: Number(query['limit'] ?? 50) });
  const hasUrls = query['includeUrls'] === true || faults.has('store-urls-unasked');
  const files = page.items.map((file) => fileView(call, file, hasUrls));
  const folders = call.operation.startsWith('v3') ? { folders: [] } : {};
  return { status: 200, body: { files, ...folders, nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } };
}

function fileView(call: Call, file: StoredFile, hasUrl: boolean): Json {
  const { world } = call;
  const workspace = call.params['workspace_id'] ?? '';
  const url = `${world.url}/files/${workspace}/${file.id}?n=${nextSerial(world)}`;
  const size = world.faults.has('store-file-size-off') ? file.size + 1 : file.size;
  return { path: file.path, size, lastModified: world.dialect.time(file.at), url: hasUrl ? url : null };
}

/** Deletes a file. */
export function deleteFile(call: Call): Answer {
  const path = call.query.get('path');
  if (path === null || path === '')
    settle(call, {}, [{ loc: ['query', 'path'], msg: 'Field required', type: 'missing' }]);
  findWorkspace(call).files.delete(path ?? '');
  return { status: 204 };
}

const upload: readonly Field[] = [
  { name: 'name', kind: 'filled', required: true, max: 255 },
  { name: 'contentType', kind: 'text', max: 255 },
];

/** Creates a file without content for each announced upload, and returns the upload URLs. */
export function uploadFiles(call: Call): Answer {
  const isV4 = call.operation.startsWith('v4');
  const body = requireObject(call);
  const list: Field[] = [
    { name: 'files', kind: 'list', required: true, min: 1, max: 10 },
    { name: 'allowOverrides', kind: 'boolean' },
  ];
  const sizes: Field = { name: 'size', kind: 'integer', min: 1, max: 52_428_800, required: isV4, nullable: !isV4 };
  const given: unknown[] = Array.isArray(body['files']) ? body['files'] : [];
  const items = given.map((item) => (isObject(item) ? item : {}));
  const itemProblems = items.flatMap((item, index) =>
    memberProblems([...upload, sizes], item, ['body', 'files', index]),
  );
  settle(call, body, [...memberProblems(list, body, ['body']), ...itemProblems]);
  const workspace = findWorkspace(call);
  const prefix = isV4 ? 'uploads/' : (call.query.get('prefix') ?? '');
  const files = items.map((item) => announce(call, workspace, { item, path: `${prefix}${String(item['name'])}` }));
  return { status: 200, body: { files } };
}

function announce(call: Call, workspace: Named, { item, path }: { item: Json; path: string }): Json {
  const { world } = call;
  const file: StoredFile = {
    id: world.dialect.id(),
    path,
    contentType: text(item, 'contentType') ?? 'application/octet-stream',
    size: Number(item['size'] ?? 0),
    at: now(world),
    bytes: null,
  };
  const uploadUrl = `${world.url}/files/${workspace.id}/${file.id}`;
  const answer: Json = { id: file.id, name: item['name'], path, uploadUrl };
  const willOverride = workspace.files.has(path);
  workspace.files.set(path, file);
  if (call.operation.startsWith('v4')) Object.assign(answer, { storedName: item['name'], willOverride });
  return answer;
}
