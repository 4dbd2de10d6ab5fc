import type { ResourceKind } from '../core/ledger.ts';

/** Kind of resource that an operation creates, by its id; the same in every generation. */
export const createdKinds: Readonly<Record<string, ResourceKind>> = {
  createTask: 'task',
  createSession: 'session',
  createRun: 'run',
  createBrowser: 'browser',
  createProfile: 'profile',
  createWorkspace: 'workspace',
};
