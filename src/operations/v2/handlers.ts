import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { getBillingAccount } from '../common/get-billing-account.ts';
import { createBrowserUpload } from './create-browser-upload.ts';
import { createSession } from './create-session.ts';
import { createSessionUpload } from './create-session-upload.ts';
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from '../common/profiles/index.ts';
import { createTask } from './create-task.ts';
import { deleteSession } from '../common/delete-session.ts';

import { getOutputFile } from './get-output-file.ts';
import { getSession } from './get-session.ts';
import { charged } from '../common/charged.ts';
import { purgeSession } from '../common/purge-session.ts';
import { createPublicShare } from './create-public-share.ts';
import { deletePublicShare } from './delete-public-share.ts';
import { getPublicShare } from './get-public-share.ts';
import { getTask } from './get-task.ts';
import { getTaskLogs } from './get-task-logs.ts';
import { getTaskStatus } from './get-task-status.ts';
import { listSessions } from './list-sessions.ts';
import { listTasks } from './list-tasks.ts';
import { updateSession } from './update-session.ts';
import { updateTask } from './update-task.ts';

type V2OperationId = Extract<(typeof operations)[number], { version: 'v2' }>['id'];

/** What answers each V2 operation; a documented operation without a handler does not compile. */
export const v2Handlers: Record<V2OperationId, AnyOperation<Caller>> = {
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
