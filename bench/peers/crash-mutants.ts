import { isJsonObject } from '#lib/json.ts';
import type { Given, Seen, Tamper } from '../../test/mutants/mutant.ts';
import type { Broken } from './sample.ts';

/** What a server says that fell over. */
const fallen: Partial<Given> = { status: 500, body: { detail: 'Internal Server Error' } };

/** Servers that fall over at input that they should answer. */
export const crashMutants: readonly Broken[] = [
  {
    id: 'crash-v3-null-model',
    breaks: 'V3 answers 500 where model is null.',
    tamper: falls('POST', /\/api\/v3\/sessions$/, ({ body }) => isJsonObject(body) && body['model'] === null),
  },
  {
    id: 'crash-v3-malformed-id',
    breaks: 'V3 answers 500 where the id of a session is malformed.',
    tamper: falls('GET', /\/api\/v3\/sessions\/(?![0-9a-f]{8}-)[^/]+$/, () => true),
  },
  {
    id: 'crash-v3-page-zero',
    breaks: 'V3 answers 500 to the page 0 of profiles.',
    tamper: falls('GET', /\/api\/v3\/profiles\?.*pageNumber=0\b/, () => true),
  },
  {
    id: 'crash-v4-body-list',
    breaks: 'V4 answers 500 where the body of a run is a list.',
    tamper: falls('POST', /\/api\/v4\/runs$/, ({ body }) => Array.isArray(body)),
  },
  {
    id: 'crash-v2-unknown-task',
    breaks: 'V2 answers 500 where a task does not exist.',
    tamper: {
      answer: ({ method, url }, { status }) =>
        method === 'GET' && /\/api\/v2\/tasks\//.test(url) && status === 404 ? fallen : undefined,
    },
  },
];

function falls(method: string, path: RegExp, at: (seen: Seen) => boolean): Tamper {
  return { answer: (seen) => (seen.method === method && path.test(seen.url) && at(seen) ? fallen : undefined) };
}
