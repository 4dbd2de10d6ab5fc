/** The operations by method and path. */
import { getBrowser, listBrowsers, listDownloads, patchBrowser, postBrowser } from './browsers.ts';
import type { Answer, Call } from './call.ts';
import * as stores from './stores.ts';
import * as v2 from './v2-tasks.ts';
import * as v2sessions from './v2-sessions.ts';
import { postSession } from './v3-create.ts';
import * as v3 from './v3-sessions.ts';
import { postRun } from './v4-create.ts';
import * as runs from './v4-runs.ts';
import * as sessions from './v4-sessions.ts';

/** Method, path and handler of one operation. */
export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly operation: string;
  readonly handle: (call: Call) => Answer;
}

/** An operation as a row of the table: method, path, name, handler. */
type Row = readonly [string, string, string, (call: Call) => Answer];

const rows: readonly Row[] = [
  ['POST', '/v2/tasks', 'v2.create', v2.postTask],
  ['GET', '/v2/tasks', 'v2.list', v2.listTasks],
  ['GET', '/v2/tasks/{task_id}', 'v2.get', v2.getTask],
  ['PATCH', '/v2/tasks/{task_id}', 'v2.patch', v2.patchTask],
  ['GET', '/v2/tasks/{task_id}/status', 'v2.status', v2.getTaskStatus],
  ['GET', '/v2/tasks/{task_id}/logs', 'v2.logs', v2.getTaskLogs],
  ['POST', '/v2/sessions', 'v2.createSession', v2sessions.postSession2],
  ['GET', '/v2/sessions', 'v2.listSessions', v2sessions.listSessions2],
  ['GET', '/v2/sessions/{session_id}', 'v2.getSession', v2sessions.getSession2],
  ['PATCH', '/v2/sessions/{session_id}', 'v2.patchSession', v2sessions.patchSession2],
  ['DELETE', '/v2/sessions/{session_id}', 'v2.deleteSession', v2sessions.deleteSession2],
  ['GET', '/v2/sessions/{session_id}/public-share', 'v2.getShare', v2sessions.share],
  ['POST', '/v2/sessions/{session_id}/public-share', 'v2.share', v2sessions.share],
  ['DELETE', '/v2/sessions/{session_id}/public-share', 'v2.unshare', v2sessions.share],
  ['GET', '/v2/billing/account', 'v2.account', v2sessions.account],
  ['GET', '/v3/billing/account', 'v3.account', v2sessions.account],
  ['POST', '/v3/sessions', 'v3.create', postSession],
  ['GET', '/v3/sessions', 'v3.list', v3.listSessions],
  ['GET', '/v3/sessions/{session_id}', 'v3.get', v3.getSession],
  ['DELETE', '/v3/sessions/{session_id}', 'v3.delete', v3.deleteSession],
  ['POST', '/v3/sessions/{session_id}/stop', 'v3.stop', v3.stopSession],
  ['GET', '/v3/sessions/{session_id}/messages', 'v3.messages', v3.listMessages],
  ['POST', '/v4/runs', 'v4.create', postRun],
  ['GET', '/v4/runs', 'v4.list', runs.listRuns],
  ['GET', '/v4/runs/{run_id}', 'v4.getRun', runs.getRun],
  ['GET', '/v4/runs/{run_id}/status', 'v4.status', runs.getRunStatus],
  ['GET', '/v4/runs/{run_id}/events', 'v4.events', runs.listEvents],
  ['POST', '/v4/runs/{run_id}/cancel', 'v4.cancel', runs.postCancel],
  ['GET', '/v4/runs/{run_id}/attachments', 'v4.attachments', runs.listAttachments],
  ['GET', '/v4/sessions', 'v4.listSessions', sessions.listConversations],
  ['GET', '/v4/sessions/{session_id}', 'v4.getSession', sessions.getConversation],
  ['PATCH', '/v4/sessions/{session_id}', 'v4.patchSession', sessions.patchConversation],
  ['DELETE', '/v4/sessions/{session_id}', 'v4.deleteSession', sessions.deleteConversation],
  ['POST', '/v4/sessions/{session_id}/queue', 'v4.queue', sessions.postMessage],
  ['GET', '/v4/sessions/{session_id}/queue', 'v4.listQueue', sessions.listMessages4],
  ['GET', '/v4/sessions/{session_id}/queue/{message_id}', 'v4.getMessage', sessions.getMessage],
  ['DELETE', '/v4/sessions/{session_id}/queue/{message_id}', 'v4.deleteMessage', sessions.deleteMessage],
  ...['v2', 'v3', 'v4'].flatMap((version): Row[] => [
    ['GET', `/${version}/profiles`, `${version}.listProfiles`, stores.listProfiles],
    ['POST', `/${version}/profiles`, `${version}.createProfile`, stores.postProfile],
    ['GET', `/${version}/profiles/{profile_id}`, `${version}.getProfile`, stores.getProfile],
    ['PATCH', `/${version}/profiles/{profile_id}`, `${version}.patchProfile`, stores.patchProfile],
    ['DELETE', `/${version}/profiles/{profile_id}`, `${version}.deleteProfile`, stores.deleteProfile],
    ['GET', `/${version}/browsers`, `${version}.listBrowsers`, listBrowsers],
    ['POST', `/${version}/browsers`, `${version}.createBrowser`, postBrowser],
    ['GET', `/${version}/browsers/{session_id}`, `${version}.getBrowser`, getBrowser],
    ['PATCH', `/${version}/browsers/{session_id}`, `${version}.patchBrowser`, patchBrowser],
    ['GET', `/${version}/browsers/{session_id}/downloads`, `${version}.listDownloads`, listDownloads],
  ]),
  ['GET', '/v3/workspaces', 'v3.listWorkspaces', stores.listWorkspaces],
  ...['v3', 'v4'].flatMap((version): Row[] => [
    ['POST', `/${version}/workspaces`, `${version}.createWorkspace`, stores.postWorkspace],
    ['GET', `/${version}/workspaces/{workspace_id}`, `${version}.getWorkspace`, stores.getWorkspace],
    ['PATCH', `/${version}/workspaces/{workspace_id}`, `${version}.patchWorkspace`, stores.patchWorkspace],
    ['DELETE', `/${version}/workspaces/{workspace_id}`, `${version}.deleteWorkspace`, stores.deleteWorkspace],
    ['GET', `/${version}/workspaces/{workspace_id}/size`, `${version}.sizeWorkspace`, stores.sizeWorkspace],
    ['GET', `/${version}/workspaces/{workspace_id}/files`, `${version}.listFiles`, stores.listFiles],
    ['DELETE', `/${version}/workspaces/{workspace_id}/files`, `${version}.deleteFile`, stores.deleteFile],
    ['POST', `/${version}/workspaces/{workspace_id}/files/upload`, `${version}.upload`, stores.uploadFiles],
  ]),
];

/** All operations, in the order in which the router tries them. */
export const routes: readonly Route[] = rows.map(([method, path, operation, handle]) => ({
  method,
  operation,
  handle,
  pattern: new RegExp(`^/api${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));
