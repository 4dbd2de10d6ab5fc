import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { getBillingAccount } from '../common/get-billing-account.ts';
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from '../common/profiles/index.ts';
import { charged } from '../common/charged.ts';
import { createSession } from './create-session.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteSession } from '../common/delete-session.ts';
import { deleteWorkspaceFile } from './delete-workspace-file.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { getSession } from './get-session.ts';
import { getWorkspaceSize } from './get-workspace-size.ts';
import { getWorkspace } from './get-workspace.ts';
import { listMessages } from './list-messages.ts';
import { listSessions } from './list-sessions.ts';
import { listWorkspaceFiles } from './list-workspace-files.ts';
import { listWorkspaces } from './list-workspaces.ts';
import { stopSession } from './stop-session.ts';
import { updateWorkspace } from './update-workspace.ts';
import { uploadWorkspaceFiles } from './upload-workspace-files.ts';

type V3OperationId = Extract<(typeof operations)[number], { version: 'v3' }>['id'];

/** What answers each V3 operation; a documented operation without a handler does not compile. */
export const v3Handlers: Record<V3OperationId, AnyOperation<Caller>> = {
  getBillingAccount,
  createSession,
  getSession,
  listSessions,
  stopSession,
  deleteSession,
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  getWorkspaceSize,
  listWorkspaceFiles,
  deleteWorkspaceFile,
  uploadWorkspaceFiles,
  listMessages,
  listProfiles,
  createProfile: charged(createProfile),
  getProfile,
  updateProfile,
  deleteProfile,
};
