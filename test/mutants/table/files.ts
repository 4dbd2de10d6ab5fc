import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { omit } from '../tampers.ts';

const reference = { server: 'reference', only: ['files'] } as const;

const isList = ({ method, url }: Seen): boolean =>
  method === 'GET' && /\/workspaces\/[0-9a-f-]{36}\/files(\?|$)/.test(url);
const isReserve = ({ method, url }: Seen): boolean => method === 'POST' && url.includes('/files/upload');
const isUpload = ({ method, url }: Seen): boolean => method === 'PUT' && url.startsWith('/uploads/');
const isDownload = ({ method, url }: Seen): boolean => method === 'GET' && url.startsWith('/files/');
const isRemoval = ({ method, url }: Seen): boolean => method === 'DELETE' && url.includes('/files?');

/** Changes the files in successful answers to selected requests. */
function files(when: (seen: Seen) => boolean, change: (files: JsonObject[], seen: Seen) => JsonObject[]): Tamper {
  return {
    answer(seen, { status, body }) {
      if (!when(seen) || status !== 200 || !isJsonObject(body) || !Array.isArray(body['files'])) return undefined;
      return { body: { ...body, files: change(body['files'].filter(isJsonObject), seen) } };
    },
  };
}

/** Changes the query of requests for a list of files. */
function query(change: (members: URLSearchParams) => void): Tamper {
  return {
    request(seen) {
      if (!isList(seen)) return undefined;
      const url = new URL(seen.url, 'http://x');
      change(url.searchParams);
      return { url: url.pathname + url.search };
    },
  };
}

/** Changes the bodies of requests for upload URLs. */
function asks(change: (body: JsonObject) => JsonObject): Tamper {
  return {
    request: (seen) => (isReserve(seen) && isJsonObject(seen.body) ? { body: change(seen.body) } : undefined),
  };
}

/**
 * Answers selected requests with the status `status` without performing them: the good server receives a read of the
 * billing account instead.
 */
function instead(when: (seen: Seen) => boolean, status: number): Tamper {
  return {
    request: (seen) => (when(seen) ? { method: 'GET', url: '/api/v3/billing/account', body: '' } : undefined),
    answer: (seen) => (when(seen) ? { status, body: status === 204 ? '' : {} } : undefined),
  };
}

/**
 * Passes a selected request on as an issued URL: with `query`, an issued URL of the same path; with `path`, an issued
 * URL with the same query. A changed query or path therefore has no effect.
 */
function forgets(part: 'path' | 'query', when: (seen: Seen) => boolean): () => Tamper {
  return () => {
    const handedOut = new Set<string>();
    const idIn = (url: string): string => url.split('?')[0] ?? '';
    return {
      addresses: true,
      request(seen) {
        if (!when(seen)) return undefined;
        const whole = [...handedOut].find((url) =>
          part === 'query' ? idIn(url) === idIn(seen.url) : url.split('?')[1] === seen.url.split('?')[1],
        );
        return whole === undefined ? undefined : { url: whole };
      },
      answer(_seen, { body }) {
        const listed = isJsonObject(body) && Array.isArray(body['files']) ? body['files'].filter(isJsonObject) : [];
        for (const file of listed) {
          const address = file['url'] ?? file['uploadUrl'];
          if (typeof address !== 'string') continue;
          const { pathname, search } = new URL(address);
          handedOut.add(pathname + search);
        }
        return undefined;
      },
    };
  };
}

/** Servers whose files violate rules of the companion. */
export const fileMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'file-answers-sorted',
    breaks: 'The response to an upload request is sorted by name instead of in the order of the request.',
    target: 'FILE-01',
    mayAlso: [
      'FILE-02',
      'FILE-03',
      'FILE-05',
      'FILE-07',
      'FILE-08',
      'FILE-09',
      'FILE-10',
      'FILE-11',
      'FILE-14',
      'FILE-15',
    ],
    tamper: files(isReserve, (list) =>
      list.toSorted((left, right) => String(left['name']).localeCompare(String(right['name']))),
    ),
  },
  {
    ...reference,
    id: 'file-size-rounded',
    breaks: 'The list of files rounds sizes up to whole blocks.',
    target: 'FILE-02',
    tamper: files(isList, (list) =>
      list.map((file) => ({ ...file, size: Math.ceil(Number(file['size']) / 512) * 512 })),
    ),
  },
  {
    ...reference,
    id: 'file-listed-twice',
    breaks: 'A file appears twice in the list.',
    target: 'FILE-02',
    mayAlso: ['FILE-08', 'FILE-09'],
    tamper: files(isList, (list) => [...list, ...list.slice(0, 1)]),
  },
  {
    ...reference,
    id: 'file-put-refused',
    breaks: 'An upload URL accepts no file.',
    target: 'FILE-02',
    mayAlso: [
      'FILE-04',
      'FILE-05',
      'FILE-06',
      'FILE-07',
      'FILE-08',
      'FILE-09',
      'FILE-10',
      'FILE-11',
      'FILE-14',
      'FILE-15',
    ],
    tamper: { addresses: true, ...instead(isUpload, 403) },
  },
  {
    ...reference,
    id: 'file-type-not-compared',
    breaks: 'An upload URL accepts any content type.',
    target: 'FILE-03',
    mayAlso: ['FILE-02', 'FILE-08', 'FILE-09', 'FILE-14', 'FILE-15'],
    tamper: {
      addresses: true,
      request: (seen) =>
        isUpload(seen) && seen.headers['content-type'] === 'text/html'
          ? { headers: { ...seen.headers, 'content-type': 'text/plain' } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'file-longer-cut',
    breaks: 'An upload URL accepts more bytes than declared and stores the declared number.',
    target: 'FILE-03',
    mayAlso: ['FILE-02', 'FILE-09', 'FILE-14', 'FILE-15'],
    tamper: {
      addresses: true,
      request: (seen) => (isUpload(seen) && seen.body === 'thirteen byte' ? { body: 'thirteen byt' } : undefined),
    },
  },
  {
    ...reference,
    id: 'file-addresses-always',
    breaks: 'The list of files contains URLs that the request does not ask for.',
    target: 'FILE-04',
    tamper: query((members) => members.set('includeUrls', 'true')),
  },
  {
    ...reference,
    id: 'file-addresses-never',
    breaks: 'The list of files contains no URLs.',
    target: 'FILE-04',
    mayAlso: ['FILE-10'],
    tamper: query((members) => members.delete('includeUrls')),
  },
  {
    ...reference,
    id: 'file-download-other',
    breaks: 'A download URL returns another file.',
    target: 'FILE-05',
    mayAlso: ['FILE-10'],
    tamper: files(isList, (list) => list.map((file, index) => ({ ...file, url: list.at(index - 1)?.['url'] ?? null }))),
  },
  {
    ...reference,
    id: 'file-download-key',
    breaks: 'A download URL requires the API key.',
    target: 'FILE-05',
    mayAlso: ['FILE-10'],
    tamper: {
      addresses: true,
      answer: (seen) =>
        isDownload(seen) && seen.headers['x-service-api-key'] === undefined
          ? { status: 401, body: { detail: 'No key' } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'file-download-unsigned',
    breaks: 'A download URL works with any signature.',
    target: 'FILE-06',
    mayAlso: ['FILE-10'],
    tamper: forgets('query', isDownload),
  },
  {
    ...reference,
    id: 'file-upload-unsigned',
    breaks: 'An upload URL works with any signature.',
    target: 'FILE-06',
    mayAlso: ['FILE-02', 'FILE-09', 'FILE-14', 'FILE-15'],
    tamper: forgets('query', isUpload),
  },
  {
    ...reference,
    id: 'file-download-any-path',
    breaks: 'The signature of a download URL does not cover its path.',
    target: 'FILE-06',
    mayAlso: ['FILE-05', 'FILE-10'],
    tamper: forgets('path', isDownload),
  },
  {
    ...reference,
    id: 'file-exact-last',
    breaks: 'A file is listed after files whose paths begin with its own path.',
    target: 'FILE-07',
    mayAlso: ['FILE-09'],
    tamper: files(
      (seen) => isList(seen) && seen.url.includes('limit=1') && seen.url.includes('prefix='),
      (list, { url }) =>
        list.map((file) => ({ ...file, path: `${String(new URL(url, 'http://x').searchParams.get('prefix'))}.bak` })),
    ),
  },
  {
    ...reference,
    id: 'file-prefix-ignored',
    breaks: 'The prefix of a list is ignored.',
    target: 'FILE-08',
    mayAlso: ['FILE-07'],
    tamper: query((members) => members.delete('prefix')),
  },
  {
    ...reference,
    id: 'file-prefix-within',
    breaks: 'A prefix also matches within a path.',
    target: 'FILE-08',
    tamper: query((members) => {
      if (members.get('prefix') === 'txt') members.delete('prefix');
    }),
  },
  {
    ...reference,
    id: 'file-removal-of-more',
    breaks: 'The removal of a file removes all files whose path begins with its path.',
    target: 'FILE-11',
    tamper: () => {
      const removed: string[] = [];
      const hides = files(isList, (list) =>
        list.filter(({ path }) => !removed.some((one) => String(path).startsWith(one))),
      );
      return {
        answer(seen, given) {
          const path = new URL(seen.url, 'http://x').searchParams.get('path');
          if (isRemoval(seen) && given.status === 204 && path !== null) removed.push(path);
          return hides.answer?.(seen, given);
        },
      };
    },
  },
  {
    ...reference,
    id: 'file-removal-without-path',
    breaks: 'The removal of a file without a path is answered 204.',
    target: 'FILE-12',
    tamper: {
      answer: ({ method, url }) =>
        method === 'DELETE' && url.endsWith('/files') ? { status: 204, body: '' } : undefined,
    },
  },
  {
    ...reference,
    id: 'file-cursor-ignored',
    breaks: 'Every page has the rows of the first page.',
    target: 'FILE-09',
    mayAlso: ['FILE-13'],
    tamper: query((members) => members.delete('cursor')),
  },
  {
    ...reference,
    id: 'file-page-end-hidden',
    breaks: 'The last page states that more rows follow.',
    target: 'FILE-09',
    tamper: {
      answer: (seen, { body }) =>
        isList(seen) && isJsonObject(body) && 'hasMore' in body ? { body: { ...body, hasMore: true } } : undefined,
    },
  },
  {
    ...reference,
    id: 'file-overrides-anyway',
    breaks: 'An upload replaces an existing file although the request forbids it.',
    target: 'FILE-10',
    tamper: asks((body) => omit(body, 'allowOverrides')),
  },
  {
    ...reference,
    id: 'file-override-not-told',
    breaks: 'The response does not state that the upload replaces a file.',
    target: 'FILE-10',
    tamper: files(isReserve, (list) => list.map((file) => ({ ...file, willOverride: false }))),
  },
  {
    ...reference,
    id: 'file-removal-ignored',
    breaks: 'A removed file is still listed.',
    target: 'FILE-11',
    mayAlso: ['FILE-15'],
    tamper: instead(isRemoval, 204),
  },
  {
    ...reference,
    id: 'file-removal-200',
    breaks: 'The removal of a file answers 200.',
    target: 'FILE-11',
    tamper: { answer: (seen) => (isRemoval(seen) ? { status: 200, body: {} } : undefined) },
  },
  {
    ...reference,
    id: 'file-ten-at-most',
    breaks: 'Files after the tenth are dropped instead of refused.',
    target: 'FILE-12',
    tamper: asks((body) => ({
      ...body,
      ...(Array.isArray(body['files']) ? { files: body['files'].slice(0, 10) } : {}),
    })),
  },
  {
    ...reference,
    id: 'file-limit-clamped',
    breaks: 'A limit above the maximum is lowered instead of refused.',
    target: 'FILE-12',
    tamper: query((members) => {
      if (Number(members.get('limit')) > 100) members.set('limit', '100');
    }),
  },
  {
    ...reference,
    id: 'file-strange-cursor-empty',
    breaks: 'An unknown cursor returns an empty page.',
    target: 'FILE-13',
    tamper: {
      answer: (seen, { status }) =>
        isList(seen) && status === 400
          ? { status: 200, body: { files: [], nextCursor: null, hasMore: false } }
          : undefined,
    },
  },
  {
    ...reference,
    id: 'file-shallow-ignored',
    breaks: 'The list of files is always recursive.',
    target: 'FILE-14',
    tamper: query((members) => members.delete('shallow')),
  },
  {
    ...reference,
    id: 'file-shown-inline',
    breaks: 'A download has the disposition inline instead of attachment.',
    target: 'FILE-16',
    tamper: {
      addresses: true,
      answer: (seen, { headers }) =>
        isDownload(seen) ? { headers: { ...headers, 'content-disposition': 'inline' } } : undefined,
    },
  },
  {
    ...reference,
    id: 'file-size-late',
    breaks: 'The size of a workspace does not decrease when files are removed.',
    target: 'FILE-15',
    tamper: () => {
      let most = 0;
      return {
        answer({ url }, { body }) {
          if (!url.endsWith('/size') || !isJsonObject(body)) return undefined;
          most = Math.max(most, Number(body['usedBytes']));
          return { body: { ...body, usedBytes: most } };
        },
      };
    },
  },
];
