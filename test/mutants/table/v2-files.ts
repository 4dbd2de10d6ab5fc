import type { JsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { at, isAt, says, told, turns, wants } from '../operation-tampers.ts';

const base = { server: 'reference', only: ['v2-files'] } as const;
const ask = at('POST', '/api/v2/files/sessions/*/presigned-url');
const send = at('POST', '/upload-forms');
const getTask = at('GET', '/api/v2/tasks/*');
const output = at('GET', '/api/v2/files/tasks/*/output-files/*');
const file = at('GET', '/files/*');

/**
 * Returns the tamper with upload and download URLs that lead through the proxy, so that the tamper also changes these
 * requests.
 */
function opened(tamper: Tamper): Tamper {
  return { ...tamper, addresses: true };
}

/** Answers 200 to an upload with a form if the good server refuses it with a body that contains `said`. */
function takes(said: string): Tamper {
  return opened({
    answer: (seen, { status, body }) =>
      isAt(send, seen) && status >= 400 && JSON.stringify(body).includes(said) ? { status: 200, body: {} } : undefined,
  });
}

/** Serves an output file below the path of any task, although it belongs to one task. */
function underAnyTask(): Tamper {
  const known = new Map<string, string>();
  const idIn = (url: string): string => url.split('/').at(-1) ?? '';
  return {
    request: (seen) => {
      const url = isAt(output, seen) ? known.get(idIn(seen.url)) : undefined;
      return url === undefined ? undefined : { url };
    },
    answer: (seen, { status }) => {
      if (isAt(output, seen) && status === 200 && !known.has(idIn(seen.url))) known.set(idIn(seen.url), seen.url);
      return undefined;
    },
  };
}

/** Returns the body of a request for an upload form, with file name and size cut to the allowed maximum. */
function clamped({ fileName, sizeBytes }: JsonObject): JsonObject {
  return { fileName: String(fileName).slice(0, 255), sizeBytes: Math.min(Number(sizeBytes), 10_485_760) };
}

/** Servers whose files of V2 sessions and tasks are wrong. */
export const v2FileMutants: readonly Mutant[] = [
  {
    ...base,
    id: 'v2-form-put',
    breaks: 'An upload form states the method PUT.',
    target: 'V2-FILE-01',
    tamper: says(ask, { method: 'PUT' }),
  },
  {
    ...base,
    id: 'v2-form-no-time',
    breaks: 'An upload form states that it expires at once.',
    target: 'V2-FILE-01',
    mayAlso: ['V2-FILE-02'],
    tamper: says(ask, { expiresIn: 0 }),
  },
  {
    ...base,
    id: 'v2-form-an-hour',
    breaks: 'An upload form states that it expires after an hour.',
    target: 'V2-FILE-02',
    tamper: says(ask, { expiresIn: 3600 }),
  },
  {
    ...base,
    id: 'v2-form-needs-key',
    breaks: 'An upload form requires the API key.',
    target: 'V2-FILE-03',
    tamper: opened(turns(send, 200, { status: 401, body: { detail: 'Not authenticated' } })),
  },
  {
    ...base,
    id: 'v2-form-field-missing',
    breaks: 'An upload form is accepted without one of its fields.',
    target: 'V2-FILE-04',
    mayAlso: ['V2-FILE-05'],
    tamper: takes('field'),
  },
  {
    ...base,
    id: 'v2-form-field-changed',
    breaks: 'An upload form is accepted with a changed field.',
    target: 'V2-FILE-05',
    tamper: opened(turns(send, 403, { status: 200, body: {} })),
  },
  {
    ...base,
    id: 'v2-form-any-size',
    breaks: 'An upload form accepts a file of any size.',
    target: 'V2-FILE-06',
    tamper: takes('content-length'),
  },
  {
    ...base,
    id: 'v2-form-clamped',
    breaks: 'A name above the maximum length is truncated, and a size above the maximum is lowered.',
    target: 'V2-FILE-07',
    tamper: wants(ask, clamped),
  },
  {
    ...base,
    id: 'v2-form-any-type',
    breaks: 'An upload form is issued for any content type.',
    target: 'V2-FILE-08',
    tamper: wants(ask, ({ contentType }) => (String(contentType).includes('svc') ? { contentType: 'text/plain' } : {})),
  },
  {
    ...base,
    id: 'v2-form-unknown-403',
    breaks: 'An upload form for an unknown session is refused with 403.',
    target: 'V2-FILE-09',
    tamper: turns(ask, 404, { status: 403 }),
  },
  {
    ...base,
    id: 'v2-form-wrong-name',
    breaks: 'An upload form stores its file under a name that the task does not use.',
    target: 'V2-FILE-10',
    tamper: says(ask, { fileName: 'elsewhere.txt' }),
  },
  {
    ...base,
    id: 'v2-output-cut',
    breaks: 'The output of a task is cut after 100 characters.',
    target: 'V2-FILE-10',
    tamper: told(getTask, (body) => ({ ...body, output: String(body['output'] ?? '').slice(0, 100) })),
  },
  {
    ...base,
    id: 'v2-output-unlisted',
    breaks: 'The record of a task shows no output files.',
    target: 'V2-FILE-11',
    tamper: says(getTask, { outputFiles: [] }),
  },
  {
    ...base,
    id: 'v2-output-other-bytes',
    breaks: 'The URL of an output file returns other bytes.',
    target: 'V2-FILE-11',
    tamper: opened(turns(file, 200, { body: 'something else' })),
  },
  {
    ...base,
    id: 'v2-output-needs-key',
    breaks: 'The URL of an output file requires the API key.',
    target: 'V2-FILE-11',
    tamper: opened(turns(file, 200, { status: 401, body: { detail: 'Not authenticated' } })),
  },
  {
    ...base,
    id: 'v2-output-another-name',
    breaks: 'A fetched output file has another name.',
    target: 'V2-FILE-11',
    tamper: told(output, (body) => ({ ...body, fileName: `copy of ${String(body['fileName'])}` })),
  },
  {
    ...base,
    id: 'v2-output-text',
    breaks: 'An unknown output file is answered with a different error text.',
    target: 'V2-FILE-12',
    tamper: turns(output, 404, { body: { detail: 'Not found' } }),
  },
  {
    ...base,
    id: 'v2-output-any-task',
    breaks: 'An output file is returned for any task id.',
    target: 'V2-FILE-12',
    tamper: underAnyTask,
  },
];

/** Conforming V2 variants, for which no check may fail. */
export const legalV2Files: readonly Omit<Mutant, 'target'>[] = [
  {
    ...base,
    id: 'v2-legal-forms',
    breaks: 'An upload form answers 204; a refused form and a file of an unlisted type answer 400.',
    tamper: opened({
      answer: (seen, { status, body }) => {
        if (isAt(send, seen)) return status === 200 ? { status: 204, body: '' } : { status: 400 };
        const unlisted = isAt(ask, seen) && status === 422 && JSON.stringify(body).includes('contentType');
        return unlisted ? { status: 400, body: { detail: 'Unsupported content type' } } : undefined;
      },
    }),
  },
];
