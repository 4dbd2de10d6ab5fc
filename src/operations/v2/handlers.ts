import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import { getBillingAccount } from '../common/get-billing-account.ts';
import { createBrowserUpload, createSessionUpload, getOutputFile } from './files.ts';
import { createSession, getSession, listSessions, updateSession } from './sessions.ts';
import { createPublicShare, deletePublicShare, getPublicShare } from './public-shares.ts';
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from '../common/profiles.ts';
import { createTask, getTask, listTasks, getTaskStatus, getTaskLogs, updateTask } from './tasks.ts';
import { deleteSession, purgeSession } from '../common/sessions.ts';
import { charged } from '../common/refusals.ts';

type V2OperationId = Extract<(typeof operations)[number], { version: 'v2' }>['id'];

/** The V2 operations by id; a documented operation without a handler does not compile. */
export const v2Handlers: Record<V2OperationId, AnyOperation<RequestContext>> = {
  getBillingAccount,
  listSessions,
  createSession: charged(createSession),
  getSession,
  updateSession,
  deleteSession,
  createTask,
  listTasks,
  getTask,
  getTaskStatus,
  getTaskLogs,
  updateTask,
  createSessionUpload,
  createBrowserUpload,
  getOutputFile,
  listProfiles,
  createProfile: charged(createProfile),
  getProfile,
  updateProfile,
  deleteProfile,
  getPublicShare,
  createPublicShare,
  deletePublicShare,
  purgeSession,
};
