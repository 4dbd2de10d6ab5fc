import { isJsonObject } from '#lib/json.ts';
import type { Given, Mutant, Seen, Tamper } from '../mutant.ts';
import { withLevels } from '../flip.ts';

function answers(when: (seen: Seen, given: Given) => boolean, given: (body: unknown) => Partial<Given>): Tamper {
  return { answer: (seen, found) => (when(seen, found) ? given(found.body) : undefined) };
}

const keyless = ({ headers }: Seen): boolean =>
  headers['x-service-api-key'] === undefined && headers['authorization'] === undefined;

/** Servers on which one generation breaks a rule that all generations share. */
export const parityMutants: readonly Mutant[] = [
  {
    id: 'parity-key-status',
    breaks: 'V4 refuses a request without a key with 403.',
    server: 'reference',
    only: ['values', 'INTERFACE-01'],
    target: 'PARITY-CLASSES',
    mayAlso: ['INTERFACE-01'],
    tamper: answers(
      (seen, { status }) => seen.url.startsWith('/api/v4/') && keyless(seen) && status === 401,
      () => ({ status: 403 }),
    ),
  },
  {
    id: 'parity-id-status',
    breaks: 'V2 answers a malformed id with 404.',
    server: 'reference',
    only: ['values', 'INTERFACE-10'],
    target: 'PARITY-CLASSES',
    mayAlso: ['INTERFACE-10', 'PARITY-BODIES'],
    tamper: answers(
      ({ url }, { status }) => url.startsWith('/api/v2/') && url.includes('no-id') && status === 422,
      () => ({ status: 404, body: { detail: 'Not Found' } }),
    ),
  },
  {
    id: 'parity-id-once',
    breaks: 'One operation of V3 answers a malformed id with 400.',
    server: 'reference',
    only: ['values', 'INTERFACE-10'],
    target: 'PARITY-CLASSES',
    mayAlso: ['INTERFACE-10'],
    tamper: answers(
      ({ url }, { status }) => url === '/api/v3/workspaces/no-id/size' && status === 422,
      () => ({ status: 400 }),
    ),
  },
  {
    id: 'parity-body-shape',
    breaks: 'V2 omits the type in the detail of a 422.',
    server: 'reference',
    only: ['values', 'INTERFACE-10'],
    target: 'PARITY-BODIES',
    tamper: answers(
      ({ url }, { status }) => url.startsWith('/api/v2/') && status === 422,
      (body) => {
        const detail = isJsonObject(body) && Array.isArray(body['detail']) ? body['detail'].filter(isJsonObject) : [];
        return { body: { detail: detail.map(({ type: _left, ...row }) => row) } };
      },
    ),
  },
  {
    id: 'parity-body-text',
    breaks: 'V4 answers a task that is not a string with a detail that is a string.',
    server: 'reference',
    only: ['values', 'V2-TASK-02', 'ERR-05'],
    target: 'PARITY-BODIES',
    tamper: answers(
      (seen, { status }) =>
        seen.url === '/api/v4/runs' &&
        status === 422 &&
        isJsonObject(seen.body) &&
        typeof seen.body['task'] !== 'string',
      () => ({ body: { detail: 'No' } }),
    ),
  },
  {
    id: 'parity-params-status',
    breaks: 'V4 answers one in twenty unsupported reasoning values with 400.',
    server: 'reference',
    only: ['values', 'MAP-13', 'V4-PARAMS-REFUSES'],
    target: 'PARITY-CLASSES',
    mayAlso: ['V4-PARAMS-REFUSES'],
    tamper: () => {
      let refusals = 0;
      return answers(
        (seen, { status }) =>
          seen.url === '/api/v4/runs' &&
          status === 422 &&
          isJsonObject(seen.body) &&
          isJsonObject(seen.body['modelParams']) &&
          (refusals += 1) % 20 === 0,
        () => ({ status: 400 }),
      );
    },
  },
  {
    id: 'parity-level-v3',
    breaks: 'V3 accepts the level high of minimax-m3, which V2 refuses.',
    server: 'reference',
    only: ['values', 'V2-THINK-REFUSES', 'V3-THINK-REFUSES'],
    target: 'PARITY-LEVELS',
    mayAlso: ['V3-THINK-REFUSES', 'PARITY-CLASSES', 'PARITY-BODIES'],
    tamper: answers(
      (seen, { status }) =>
        seen.url === '/api/v3/sessions' &&
        status === 422 &&
        isJsonObject(seen.body) &&
        seen.body['model'] === 'minimax-m3' &&
        seen.body['thinkingLevel'] === 'high',
      () => ({ status: 200, body: {} }),
    ),
  },
  {
    id: 'parity-level-v2',
    breaks: 'V2 refuses a level of a model that V3 accepts.',
    server: 'reference',
    only: ['values', 'V2-THINK-ACCEPTS', 'V3-THINK-ACCEPTS'],
    matrix: 'full',
    target: 'PARITY-LEVELS',
    mayAlso: ['V2-THINK-ACCEPTS'],
    rules: withLevels('v2', 'claude-sonnet-5', ['low', 'medium', 'high']),
  },
];
