import type { ThingKind } from './ledger.ts';

/** What an operation makes, by its id; the same in every generation. */
export const makes: Readonly<Record<string, ThingKind>> = {
  createTask: 'task',
  createSession: 'session',
  createRun: 'run',
  createBrowser: 'browser',
  createProfile: 'profile',
  createWorkspace: 'workspace',
};
