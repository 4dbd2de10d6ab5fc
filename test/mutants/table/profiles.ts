import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { otherKey, testKey } from '../../support/start-backend.ts';
import { leaks } from '../tampers.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';

const reference = { server: 'reference', only: ['profiles'] } as const;

const isProfiles = ({ url }: Seen): boolean => /^\/api\/v[234]\/profiles/.test(url);
const isList = ({ method, url }: Seen): boolean => method === 'GET' && /\/profiles(\?|$)/.test(url);

/** Changes successful answers of one method on profiles. */
function profile(method: string, change: (body: JsonObject, seen: Seen) => JsonObject): Tamper {
  return {
    answer: (seen, { status, body }) =>
      isProfiles(seen) && seen.method === method && status < 300 && isJsonObject(body)
        ? { body: change(body, seen) }
        : undefined,
  };
}

/** Changes the request bodies of one method on profiles. */
function sentTo(method: string, change: (body: JsonObject) => JsonObject): Tamper {
  return {
    request: (seen) =>
      isProfiles(seen) && seen.method === method && isJsonObject(seen.body) ? { body: change(seen.body) } : undefined,
  };
}

/** Changes the query of requests for the list of profiles. */
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

const short = (value: JsonValue | undefined): JsonValue =>
  typeof value === 'string' ? value.slice(0, 90) : (value ?? null);

const foreign = { ...reference, only: ['PROFILE-10'], target: 'PROFILE-10' } as const;

/** Servers whose profiles violate rules of the companion. */
export const profileMutants: readonly Mutant[] = [
  {
    ...foreign,
    id: 'profile-read-by-others',
    breaks: 'V2 shows a profile to another project.',
    tamper: leaks(testKey, otherKey, ({ method, url }) => method === 'GET' && /v2\/profiles\/./.test(url)),
  },
  {
    ...foreign,
    id: 'profile-listed-to-others',
    breaks: 'The list of V4 shows the profiles of other projects.',
    tamper: leaks(testKey, otherKey, (seen) => isList(seen) && seen.url.startsWith('/api/v4')),
  },
  {
    ...foreign,
    id: 'profile-deleted-by-others',
    breaks: 'Another project can delete a profile.',
    tamper: leaks(testKey, otherKey, (seen) => isProfiles(seen) && seen.method === 'DELETE'),
  },
  {
    ...reference,
    id: 'profile-created-200',
    breaks: 'A profile is created with 200.',
    target: 'PROFILE-01',
    mayAlso: ['PROFILE-04'],
    tamper: {
      answer: (seen, { status }) => (isProfiles(seen) && status === 201 ? { status: 200 } : undefined),
    },
  },
  {
    ...reference,
    id: 'profile-named-by-itself',
    breaks: 'A profile that is created without a name has a name.',
    target: 'PROFILE-01',
    tamper: profile('POST', (body) => ({ ...body, name: body['name'] ?? 'Profile 1' })),
  },
  {
    ...reference,
    id: 'profile-user-lost',
    breaks: 'A fetched profile does not show its user.',
    target: 'PROFILE-02',
    mayAlso: ['PROFILE-08'],
    tamper: profile('GET', (body, seen) => (isList(seen) ? body : { ...body, userId: null })),
  },
  {
    ...reference,
    id: 'profile-update-replaces',
    breaks: 'An update clears the members that it does not contain.',
    target: 'PROFILE-03',
    mayAlso: ['PROFILE-09'],
    tamper: sentTo('PATCH', (body) => ({ name: null, userId: null, ...body })),
  },
  {
    ...reference,
    id: 'profile-null-keeps',
    breaks: 'An update with the name null changes nothing.',
    target: 'PROFILE-03',
    tamper: sentTo('PATCH', ({ name, ...rest }) =>
      name === null ? rest : name === undefined ? rest : { ...rest, name },
    ),
  },
  {
    ...reference,
    id: 'profile-name-cut',
    breaks: 'A name above the maximum length is truncated instead of refused.',
    target: 'PROFILE-04',
    tamper: sentTo('POST', (body) => ({ ...body, ...('name' in body ? { name: short(body['name']) } : {}) })),
  },
  {
    ...reference,
    id: 'profile-user-cut',
    breaks: 'An update truncates a user above the maximum length instead of refusing it.',
    target: 'PROFILE-04',
    tamper: sentTo('PATCH', (body) => ({ ...body, ...('userId' in body ? { userId: short(body['userId']) } : {}) })),
  },
  {
    ...reference,
    id: 'profile-query-ignored',
    breaks: 'The query of the list is ignored.',
    target: 'PROFILE-05',
    mayAlso: ['PROFILE-06', 'PROFILE-07', 'PROFILE-09'],
    tamper: query((members) => members.delete('query')),
  },
  {
    ...reference,
    id: 'profile-page-repeated',
    breaks: 'Every page has the rows of the first page.',
    target: 'PROFILE-06',
    mayAlso: ['PROFILE-07'],
    tamper: query((members) => members.delete('pageNumber')),
  },
  {
    ...reference,
    id: 'profile-page-of-twenty',
    breaks: 'A page has 20 profiles when the request has no page size.',
    target: 'PROFILE-06',
    tamper: query((members) => {
      if (!members.has('pageSize')) members.set('pageSize', '20');
    }),
  },
  {
    ...reference,
    id: 'profile-page-size-in-words',
    breaks: 'A page size that is no number is ignored.',
    target: 'PROFILE-07',
    tamper: query((members) => {
      if (/^[a-z]+$/.test(members.get('pageSize') ?? '')) members.delete('pageSize');
    }),
  },
  {
    ...reference,
    id: 'profile-page-size-clamped',
    breaks: 'A page size above the maximum is lowered instead of refused.',
    target: 'PROFILE-07',
    tamper: query((members) => {
      if (Number(members.get('pageSize')) > 100) members.set('pageSize', '100');
    }),
  },
  {
    ...reference,
    id: 'profile-query-cut',
    breaks: 'A query above the maximum length is truncated instead of refused.',
    target: 'PROFILE-07',
    tamper: query((members) => {
      if (members.has('query')) members.set('query', String(members.get('query')).slice(0, 200));
    }),
  },
  {
    ...reference,
    id: 'profile-per-generation',
    breaks: 'V2 shows another name of a profile.',
    target: 'PROFILE-08',
    mayAlso: ['PROFILE-02', 'PROFILE-03'],
    tamper: profile('GET', (body, { url }) =>
      url.startsWith('/api/v2') && 'cookieDomains' in body ? { ...body, name: `V2 ${String(body['name'])}` } : body,
    ),
  },
  {
    ...reference,
    id: 'profile-deletion-takes-the-latest',
    breaks: 'The deletion of a profile in V3 deletes the latest profile as well.',
    target: 'PROFILE-09',
    mayAlso: ['PROFILE-02', 'PROFILE-03', 'PROFILE-05', 'PROFILE-06', 'PROFILE-08'],
    tamper: () => {
      const created: string[] = [];
      const gone = new Set<string>();
      return {
        answer: (seen, { status, body }) => {
          if (!isProfiles(seen)) return undefined;
          if (seen.method === 'POST' && status === 201 && isJsonObject(body)) created.push(String(body['id']));
          if (seen.method === 'DELETE' && seen.url.startsWith('/api/v3') && status === 204)
            gone.add(created.findLast((id) => !gone.has(id) && !seen.url.endsWith(id)) ?? '');
          const [id = ''] = seen.url.split('/').slice(-1);
          return seen.method === 'GET' && gone.has(id) ? { status: 404, body: { detail: 'Not found' } } : undefined;
        },
      };
    },
  },
  {
    ...reference,
    id: 'profile-deleted-twice-404',
    breaks: 'A second deletion of a profile is answered with 404.',
    target: 'PROFILE-09',
    tamper: () => {
      const gone = new Set<string>();
      return {
        answer(seen) {
          if (!isProfiles(seen) || seen.method !== 'DELETE') return undefined;
          const again = gone.has(seen.url);
          gone.add(seen.url);
          return again ? { status: 404, body: { detail: 'Profile not found' } } : undefined;
        },
      };
    },
  },
  {
    ...reference,
    id: 'profile-deletion-200',
    breaks: 'The deletion of a profile answers 200.',
    target: 'PROFILE-09',
    tamper: {
      answer: (seen) => (isProfiles(seen) && seen.method === 'DELETE' ? { status: 200, body: {} } : undefined),
    },
  },
];
