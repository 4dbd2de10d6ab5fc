import { isJsonObject } from '#lib/json.ts';
import type { Mutant } from '../mutant.ts';
import { omit } from '../tampers.ts';

/** Servers whose answers differ from the documents where the contract is silent. */
export const answerMutants: readonly Mutant[] = [
  {
    id: 'answer-v2-member-missing',
    breaks: 'A V2 task does not say when it was created.',
    server: 'reference',
    only: ['answers', 'V2-TASK-08'],
    target: 'V2-ANSWERS',
    tamper: {
      answer: ({ url }, { status, body }) =>
        url.startsWith('/api/v2/tasks/') && status === 200 && isJsonObject(body)
          ? { body: omit(body, 'createdAt') }
          : undefined,
    },
  },
  {
    id: 'answer-v3-list-total-text',
    breaks: 'The total of the list of V3 sessions is a string.',
    server: 'reference',
    only: ['answers', 'ERR-15'],
    target: 'V3-ANSWERS',
    tamper: {
      answer: ({ url }, { status, body }) =>
        url.startsWith('/api/v3/sessions') && status === 200 && isJsonObject(body) && 'total' in body
          ? { body: { ...body, total: String(body['total']) } }
          : undefined,
    },
  },
  {
    id: 'answer-v4-created-201',
    breaks: 'A V4 run is created with 201.',
    server: 'reference',
    only: ['answers', 'V4-RUN-25'],
    target: 'V4-ANSWERS',
    tamper: {
      answer: ({ method, url }, { status }) =>
        method === 'POST' && url === '/api/v4/runs' && status === 200 ? { status: 201 } : undefined,
    },
  },
  {
    id: 'answer-cancel-empty',
    breaks: 'Cancelling a V4 run answers 200 without a body.',
    server: 'reference',
    only: ['answers', 'V4-RUN-30'],
    target: 'ANSWER-01',
    mayAlso: ['V4-ANSWERS', 'V4-RUN-29', 'V4-RUN-30'],
    tamper: {
      answer: ({ method, url }, { status }) =>
        method === 'POST' && url.endsWith('/cancel') && status === 200 ? { body: '' } : undefined,
    },
  },
  {
    id: 'answer-nested',
    breaks: 'The response with a V3 session has a member that is nested a thousand levels deep.',
    server: 'reference',
    only: ['ANSWER-04', 'V3-GET-02'],
    target: 'ANSWER-04',
    mayAlso: ['V3-GET-02'],
    tamper: {
      answer: ({ method, url }, { status, body }) =>
        method === 'GET' && url.startsWith('/api/v3/sessions/') && status >= 200 && isJsonObject(body)
          ? { body: { ...body, nested: JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) } }
          : undefined,
    },
  },
];
