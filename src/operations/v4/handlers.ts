import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from '../common/profiles.ts';
import { charged, retaining } from '../common/refusals.ts';
import { purgeSession } from '../common/sessions.ts';
import { cancelRun, getRun, getRunStatus, listAttachments, listRunEvents, listRuns } from './runs.ts';
import { createBrowser, getBrowser, listBrowserDownloads, listBrowsers, stopBrowser } from './browsers.ts';
import { createMessage, listMessages, getMessage, deleteMessage } from './messages.ts';
import { createRun } from './create-run.ts';
import { deleteSession, getSession, listSessions, updateSession } from './sessions.ts';
import {
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  getWorkspaceSize,
  listWorkspaceFiles,
  deleteWorkspaceFile,
  uploadWorkspaceFiles,
} from './workspaces.ts';

type V4OperationId = Extract<(typeof operations)[number], { version: 'v4' }>['id'];

/** The V4 operations by id; a documented operation without a handler does not compile. */
export const v4Handlers: Record<V4OperationId, AnyOperation<RequestContext>> = {
  createRun: retaining(charged(createRun)),
  listRuns: retaining(listRuns),
  getRun: retaining(getRun),
  getRunStatus: retaining(getRunStatus),
  listRunEvents: retaining(listRunEvents),
  listAttachments: retaining(listAttachments),
  cancelRun: retaining(cancelRun),
  listSessions: retaining(listSessions),
  getSession: retaining(getSession),
  updateSession: retaining(updateSession),
  deleteSession: retaining(deleteSession),
  createMessage: retaining(charged(createMessage)),
  listMessages: retaining(listMessages),
  getMessage: retaining(getMessage),
  deleteMessage: retaining(deleteMessage),
  createBrowser: charged(createBrowser),
  listBrowsers,
  listBrowserDownloads,
  getBrowser,
  stopBrowser,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  getWorkspaceSize,
  listWorkspaceFiles: retaining(listWorkspaceFiles),
  deleteWorkspaceFile: retaining(deleteWorkspaceFile),
  uploadWorkspaceFiles: retaining(uploadWorkspaceFiles),
  listProfiles,
  createProfile: charged(createProfile),
  getProfile,
  updateProfile,
  deleteProfile,
  purgeSession,
};
