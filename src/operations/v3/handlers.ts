import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import { getBillingAccount } from '../common/get-billing-account.ts';
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from '../common/profiles.ts';
import { charged } from '../common/refusals.ts';
import { createSession } from './create-session.ts';
import {
  createWorkspace,
  listWorkspaces,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  getWorkspaceSize,
  listWorkspaceFiles,
  deleteWorkspaceFile,
  uploadWorkspaceFiles,
} from './workspaces.ts';
import { deleteSession } from '../common/sessions.ts';
import { getSession, listSessions, stopSession } from './sessions.ts';
import { listMessages } from './messages.ts';

type V3OperationId = Extract<(typeof operations)[number], { version: 'v3' }>['id'];

/** The V3 operations by id; a documented operation without a handler does not compile. */
export const v3Handlers: Record<V3OperationId, AnyOperation<RequestContext>> = {
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
