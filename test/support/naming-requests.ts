import type { JsonObject } from '#lib/json.ts';
import type { ProjectResources } from './tenancy-world.ts';

/**
 * A request with the id of another project's record: in its body, in its query, or in its path next to an id of the
 * caller's project.
 */
export interface NamingRequest {
  /** Generation, operation and location of the id, as in the documents. */
  readonly place: string;
  readonly names: keyof ProjectResources;
  readonly method: string;
  readonly path: (id: string, own: ProjectResources) => string;
  readonly body?: (id: string, own: ProjectResources) => JsonObject;
  /** Present if the id has no effect on the answer, not even for the project that owns the record (decision 18). */
  readonly always?: 'nothing';
}

const post = (
  place: string,
  [path, names]: readonly [string, keyof ProjectResources],
  body: NonNullable<NamingRequest['body']>,
): NamingRequest => ({ place, names, method: 'POST', path: () => path, body });

const get = (place: string, names: keyof ProjectResources, path: NamingRequest['path']): NamingRequest => ({
  place,
  names,
  method: 'GET',
  path,
});

/** One request for each location where a request can contain the UUID of a record. */
export const namingRequests: readonly NamingRequest[] = [
  get('v2 listTasks query sessionId', 'v2Session', (id) => `/tasks?sessionId=${id}`),
  post('v2 createTask sessionId', ['/tasks', 'v2Session'], (sessionId) => ({ task: 'Say x', sessionId })),
  post('v2 createTask sessionSettings.profileId', ['/tasks', 'profile'], (profileId) => ({
    task: 'Say x',
    sessionSettings: { profileId },
  })),
  post('v2 createSession profileId', ['/sessions', 'profile'], (profileId) => ({ profileId })),
  post('v3 createSession sessionId', ['/sessions', 'v3Session'], (sessionId) => ({ task: 'Say x', sessionId })),
  post('v3 createSession profileId', ['/sessions', 'profile'], (profileId) => ({ profileId })),
  post('v3 createSession workspaceId', ['/sessions', 'v3Workspace'], (workspaceId) => ({ workspaceId })),
  get('v3 listMessages query after', 'v3Message', (id, { v3Session }) => `/sessions/${v3Session}/messages?after=${id}`),
  get(
    'v3 listMessages query before',
    'v3Message',
    (id, { v3Session }) => `/sessions/${v3Session}/messages?before=${id}`,
  ),
  get('v4 listRuns query sessionId', 'v4Session', (id) => `/runs?sessionId=${id}`),
  post('v4 createRun sessionId', ['/runs', 'v4Session'], (sessionId) => ({ task: 'Say x', sessionId })),
  post('v4 createRun workspaceId', ['/runs', 'v4Workspace'], (workspaceId) => ({ task: 'Say x', workspaceId })),
  post('v4 createRun browserSettings.profileId', ['/runs', 'profile'], (profileId) => ({
    task: 'Say x',
    browserSettings: { profileId },
  })),
  post('v4 createRun attachedFileIds', ['/runs', 'upload'], (id, { v4Workspace: workspaceId }) => ({
    task: 'Say x',
    workspaceId,
    attachedFileIds: [id],
  })),
  {
    place: 'v4 createMessage attachedFileIds',
    names: 'otherUpload',
    method: 'POST',
    path: (_id, { v4Session }) => `/sessions/${v4Session}/queue`,
    body: (id) => ({ text: 'x', attachedFileIds: [id] }),
  },
  post('v4 createBrowser profileId', ['/browsers', 'profile'], (profileId) => ({ profileId })),
  {
    ...get('v4 listBrowsers query agentSessionId', 'v4Session', (id) => `/browsers?agentSessionId=${id}`),
    always: 'nothing',
  },
];

/** Requests whose path contains an id of the caller's project and the id of a record of another project. */
export const mixedRequests: readonly NamingRequest[] = [
  get('v2 getOutputFile', 'v2File', (id, { v2Task }) => `/files/tasks/${v2Task}/output-files/${id}`),
  get('v4 getMessage', 'v4Message', (id, { v4Session }) => `/sessions/${v4Session}/queue/${id}`),
  {
    place: 'v4 deleteMessage',
    names: 'v4Message',
    method: 'DELETE',
    path: (id, { v4Session }) => `/sessions/${v4Session}/queue/${id}`,
  },
];
