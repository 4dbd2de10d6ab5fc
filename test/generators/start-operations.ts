import { operations } from '#generated/operations.ts';

/** An operation of a document. */
export type Listed = (typeof operations)[number];

/** A generation of the API. */
export type Version = Listed['version'];

/** The operation that starts a task in each generation, with a valid and an invalid body as TypeScript. */
export const starts = {
  v2: { id: 'createTask', path: '/tasks', status: 202, body: "{ task: 'x' }", invalid: '{ task: 1 }' },
  v3: { id: 'createSession', path: '/sessions', status: 200, body: "{ task: 'x' }", invalid: '{ task: 1 }' },
  v4: {
    id: 'createRun',
    path: '/runs',
    status: 200,
    body: "{ task: 'x', model: 'gpt-5.6-luna' }",
    invalid: "{ task: 'x', model: 'none' }",
  },
} as const satisfies Record<Version, unknown>;
