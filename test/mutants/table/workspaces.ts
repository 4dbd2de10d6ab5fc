import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { otherKey, testKey } from '../../support/start-backend.ts';
import { leaks } from '../tampers.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';

const reference = { server: 'reference', only: ['workspaces'] } as const;
const one = /^\/api\/v[34]\/workspaces\/[0-9a-f-]{36}$/;

const isOne = ({ url }: Seen): boolean => one.test(url);
const isMade = ({ method, url }: Seen): boolean => method === 'POST' && url.endsWith('/workspaces');

/** Changes the bodies of successful answers to selected requests. */
function answersTo(when: (seen: Seen) => boolean, change: (body: JsonObject) => JsonObject): Tamper {
  return {
    answer: (seen, { status, body }) =>
      when(seen) && status < 300 && isJsonObject(body) ? { body: change(body) } : undefined,
  };
}

/** Changes the bodies of selected requests. */
function sentTo(when: (seen: Seen) => boolean, change: (body: JsonObject) => JsonObject): Tamper {
  return {
    request: (seen) => (when(seen) && isJsonObject(seen.body) ? { body: change(seen.body) } : undefined),
  };
}

const foreign = { ...reference, only: ['WORKSPACE-11'], target: 'WORKSPACE-11' } as const;

/** Servers whose workspaces violate rules of the companion. */
export const workspaceMutants: readonly Mutant[] = [
  {
    ...foreign,
    id: 'workspace-measured-by-others',
    breaks: 'Another project can read the size of a workspace.',
    tamper: leaks(testKey, otherKey, ({ url }) => url.endsWith('/size')),
  },
  {
    ...foreign,
    id: 'workspace-filled-by-others',
    breaks: 'Another project can upload into a V3 workspace.',
    tamper: leaks(testKey, otherKey, ({ url }) => url.startsWith('/api/v3') && url.includes('/files/upload')),
  },
  {
    ...foreign,
    id: 'workspace-deleted-by-others',
    breaks: 'Another project can delete a workspace.',
    tamper: leaks(testKey, otherKey, (seen) => isOne(seen) && seen.method === 'DELETE'),
  },
  {
    ...reference,
    id: 'workspace-created-201',
    breaks: 'V4 creates a workspace with 201.',
    target: 'WORKSPACE-01',
    mayAlso: ['WORKSPACE-04'],
    tamper: {
      answer: (seen, { status }) =>
        isMade(seen) && seen.url.startsWith('/api/v4') && status === 200 ? { status: 201 } : undefined,
    },
  },
  {
    ...reference,
    id: 'workspace-name-lost',
    breaks: 'A fetched workspace has no name.',
    target: 'WORKSPACE-02',
    mayAlso: ['WORKSPACE-07'],
    tamper: answersTo(
      (seen) => isOne(seen) && seen.method === 'GET',
      (body) => ({ ...body, name: null }),
    ),
  },
  {
    ...reference,
    id: 'workspace-update-clears',
    breaks: 'An update without a name clears it.',
    target: 'WORKSPACE-03',
    tamper: sentTo(
      ({ method }) => method === 'PATCH',
      (body) => ({ name: null, ...body }),
    ),
  },
  {
    ...reference,
    id: 'workspace-null-keeps',
    breaks: 'An update with the name null changes nothing.',
    target: 'WORKSPACE-03',
    tamper: sentTo(
      ({ method }) => method === 'PATCH',
      (body) => (body['name'] === null ? {} : body),
    ),
  },
  {
    ...reference,
    id: 'workspace-name-cut',
    breaks: 'A name above the maximum length is truncated instead of refused.',
    target: 'WORKSPACE-04',
    tamper: sentTo(isMade, (body) =>
      typeof body['name'] === 'string' ? { ...body, name: body['name'].slice(0, 100) } : body,
    ),
  },
  {
    ...reference,
    id: 'workspace-always-archived',
    breaks: 'An existing workspace is shown as archived.',
    target: 'WORKSPACE-05',
    tamper: answersTo(
      (seen) => isOne(seen) && seen.url.startsWith('/api/v4'),
      (body) => ({ ...body, archived: true }),
    ),
  },
  {
    ...reference,
    id: 'workspace-never-archived',
    breaks: 'A deleted workspace is not shown as archived.',
    target: 'WORKSPACE-05',
    tamper: answersTo(
      (seen) => isOne(seen) && seen.url.startsWith('/api/v4'),
      (body) => ({ ...body, archived: false }),
    ),
  },
  {
    ...reference,
    id: 'workspace-stranger-404',
    breaks: 'The deletion of an unknown V4 workspace answers 404.',
    target: 'WORKSPACE-06',
    tamper: () => {
      const known = new Set<string>();
      return {
        request(seen) {
          if (seen.method === 'GET' && isOne(seen)) known.add(seen.url.slice(-36));
          return undefined;
        },
        answer(seen) {
          if (seen.method !== 'DELETE' || !isOne(seen)) return undefined;
          const first = known.delete(seen.url.slice(-36));
          return first ? undefined : { status: 404, body: { detail: 'Workspace not found' } };
        },
      };
    },
  },
  {
    ...reference,
    id: 'workspace-kept-in-v3',
    breaks: 'A workspace that V3 deleted still exists in V4.',
    target: 'WORKSPACE-06',
    tamper: {
      request: (seen) =>
        seen.method === 'DELETE' && isOne(seen) && seen.url.startsWith('/api/v3')
          ? { method: 'PATCH', body: {} }
          : undefined,
      answer: (seen) =>
        seen.method === 'DELETE' && isOne(seen) && seen.url.startsWith('/api/v3') ? { status: 204 } : undefined,
    },
  },
  {
    ...reference,
    id: 'workspace-per-generation',
    breaks: 'V3 shows another createdAt of a workspace than V4.',
    target: 'WORKSPACE-07',
    tamper: answersTo(
      (seen) => isOne(seen) && seen.url.startsWith('/api/v3'),
      (body) => ({
        ...body,
        createdAt: '2020-01-01T00:00:00.000Z',
      }),
    ),
  },
  {
    ...reference,
    id: 'workspace-never-empty',
    breaks: 'An empty workspace takes 4096 bytes.',
    target: 'WORKSPACE-08',
    tamper: answersTo(
      ({ url }) => url.endsWith('/size'),
      (body) => ({ ...body, usedBytes: 4096 }),
    ),
  },
  {
    ...reference,
    id: 'workspace-room-as-text',
    breaks: 'maxBytes of a workspace is a string.',
    target: 'WORKSPACE-08',
    tamper: answersTo(
      ({ url }) => url.endsWith('/size'),
      (body) => ({ ...body, maxBytes: '1 GiB' }),
    ),
  },
  {
    ...reference,
    id: 'workspace-stranger-403',
    breaks: 'An unknown workspace is answered with 403.',
    target: 'WORKSPACE-09',
    mayAlso: ['WORKSPACE-06'],
    tamper: {
      answer: ({ url }, { status }) => (url.includes('/workspaces/') && status === 404 ? { status: 403 } : undefined),
    },
  },
  {
    ...reference,
    id: 'workspace-page-repeated',
    breaks: 'Every page of the list has the rows of the first page.',
    target: 'WORKSPACE-10',
    tamper: { request: ({ url }) => ({ url: url.replace(/pageNumber=\d+/, 'pageNumber=1') }) },
  },
];
