import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from '../common/profiles/index.ts';
import { charged } from '../common/charged.ts';
import { purgeSession } from '../common/purge-session.ts';
import { retaining } from '../common/retaining.ts';
import { cancelRun } from './cancel-run.ts';
import { createBrowser } from './create-browser.ts';
import { createMessage } from './create-message.ts';
import { createRun } from './create-run.ts';
import { deleteMessage } from './delete-message.ts';
import { deleteSession } from './delete-session.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspaceFile } from './delete-workspace-file.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { getBrowser } from './get-browser.ts';
import { getMessage } from './get-message.ts';
import { getRun } from './get-run.ts';
import { getRunStatus } from './get-run-status.ts';
import { getSession } from './get-session.ts';
import { getWorkspaceSize } from './get-workspace-size.ts';
import { getWorkspace } from './get-workspace.ts';
import { listAttachments } from './list-attachments.ts';
import { listBrowserDownloads } from './list-browser-downloads.ts';
import { listBrowsers } from './list-browsers.ts';
import { listMessages } from './list-messages.ts';
import { listRunEvents } from './list-run-events.ts';
import { listRuns } from './list-runs.ts';
import { listSessions } from './list-sessions.ts';
import { updateSession } from './update-session.ts';
import { listWorkspaceFiles } from './list-workspace-files.ts';
import { stopBrowser } from './stop-browser.ts';
import { updateWorkspace } from './update-workspace.ts';
import { uploadWorkspaceFiles } from './upload-workspace-files.ts';

type V4OperationId = Extract<(typeof operations)[number], { version: 'v4' }>['id'];

/** What answers each V4 operation; a documented operation without a handler does not compile. */
export const v4Handlers: Record<V4OperationId, AnyOperation<Caller>> = {
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
