import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { type At, at, isAt, queries, rows, says, told, turns } from '../operation-tampers.ts';

const query = (seen: Seen, name: string): string | null => new URL(seen.url, 'http://x').searchParams.get(name);

const on =
  (name: string, value: string) =>
  (seen: Seen): boolean =>
    query(seen, name) === value;

const smallPage = (seen: Seen): boolean => (query(seen, 'pageSize') ?? query(seen, 'limit')) !== '100';
const ofAll = (seen: Seen): boolean => query(seen, 'sessionId') === null && smallPage(seen);

/** On every page after the first, replaces the first item by the last item of the page that was read before. */
function repeats(place: At, member: string): () => Tamper {
  return () => {
    let last: JsonObject | undefined;
    return rows(place, member, (items, seen) => {
      const before = query(seen, 'pageNumber') === '1' ? undefined : last;
      last = items.at(-1);
      return before === undefined ? items : [before, ...items.slice(1)];
    });
  };
}

/**
 * Uses the position in the list as cursor. Creating or deleting an item before this position therefore repeats or skips
 * an item.
 */
function offsets(path: string): Tamper {
  const place = at('GET', path, (seen) => query(seen, 'limit') !== '100');
  const start = (seen: Seen): number => Number.parseInt(query(seen, 'cursor') ?? '0', 10) || 0;
  return {
    request: (seen) => (isAt(place, seen) ? { url: `${seen.url.split('?')[0] ?? ''}?limit=100` } : undefined),
    answer(seen, { status, body }) {
      if (!isAt(place, seen) || status !== 200 || !isJsonObject(body) || !Array.isArray(body['files']))
        return undefined;
      const end = start(seen) + Number(query(seen, 'limit') ?? 50);
      const hasMore = end < body['files'].length;
      const files = body['files'].slice(start(seen), end);
      return { body: { ...body, files, hasMore, nextCursor: hasMore ? String(end) : null } };
    },
  };
}

/** Makes a cursor continue the list for which it was issued, whichever list the request names. */
function leadsBack(path: string): () => Tamper {
  return () => {
    const given = new Map<string, string>();
    const place = at('GET', path);
    return {
      request(seen) {
        const from = isAt(place, seen) ? given.get(query(seen, 'cursor') ?? '') : undefined;
        return from === undefined ? undefined : { url: `${from}?${seen.url.split('?')[1] ?? ''}` };
      },
      answer(seen, { body }) {
        const next = isAt(place, seen) && isJsonObject(body) ? body['nextCursor'] : undefined;
        if (typeof next === 'string') given.set(next, seen.url.split('?')[0] ?? '');
        return undefined;
      },
    };
  };
}

const stored = {
  server: 'reference',
  only: ['PAGES-01', 'PAGES-02', 'PAGES-03', 'PAGES-04', 'PAGES-05', 'PAGES-06', 'PAGES-07', 'PAGES-08', 'PAGES-09'],
} as const;

// The rows after PAGES-16 create the runs and tasks that the lists contain.
const standing = {
  server: 'reference',
  only: [
    'PAGES-11',
    'PAGES-12',
    'PAGES-13',
    'PAGES-14',
    'PAGES-15',
    'PAGES-16',
    'V2-TASK-04',
    'V2-TASK-05',
    'V4-MODELS-ACCEPTED',
  ],
} as const;

const v4Files = '/api/v4/workspaces/*/files';
const v3Files = '/api/v3/workspaces/*/files';

/** Servers with wrong pagination. */
export const pageMutants: readonly Mutant[] = [
  {
    ...stored,
    id: 'pages-profile-repeated',
    breaks: 'Each page of V3 profiles begins with the last profile of the previous page.',
    target: 'PAGES-01',
    mayAlso: ['PAGES-02', 'PAGES-05'],
    tamper: repeats(at('GET', '/api/v3/profiles', smallPage), 'items'),
  },
  {
    ...stored,
    id: 'pages-file-lost',
    breaks: 'Each page of V4 files omits its last file.',
    target: 'PAGES-01',
    mayAlso: ['PAGES-05', 'PAGES-08', 'PAGES-09'],
    tamper: rows(at('GET', v4Files, smallPage), 'files', (files, seen) =>
      query(seen, 'limit') === null ? files : files.slice(0, -1),
    ),
  },
  {
    ...stored,
    id: 'pages-third-loses',
    breaks: 'Only the third page of V2 profiles omits a profile.',
    target: 'PAGES-01',
    mayAlso: ['PAGES-03'],
    tamper: rows(at('GET', '/api/v2/profiles', on('pageNumber', '3')), 'items', (items) => items.slice(1)),
  },
  {
    ...stored,
    id: 'pages-order-flips',
    breaks: 'The second page of V3 profiles is in reverse order.',
    target: 'PAGES-02',
    tamper: rows(at('GET', '/api/v3/profiles', on('pageNumber', '2')), 'items', (items) => items.toReversed()),
  },
  {
    ...stored,
    id: 'pages-larger-than-asked',
    breaks: 'A page of V4 files has one file more than requested.',
    target: 'PAGES-03',
    mayAlso: [],
    tamper: queries(at('GET', v4Files, smallPage), 'limit', (limit) => String(Number(limit) + 1)),
  },
  {
    ...stored,
    id: 'pages-total-of-page',
    breaks: 'The total of V4 profiles counts only the profiles of the page.',
    target: 'PAGES-04',
    tamper: told(at('GET', '/api/v4/profiles'), (body) => ({
      ...body,
      totalItems: Array.isArray(body['items']) ? body['items'].length : 0,
    })),
  },
  {
    ...stored,
    id: 'pages-total-of-second',
    breaks: 'Only the second page of V3 workspaces states a total that is one too low.',
    target: 'PAGES-04',
    tamper: told(at('GET', '/api/v3/workspaces', on('pageNumber', '2')), (body) => ({
      ...body,
      totalItems: Number(body['totalItems']) - 1,
    })),
  },
  {
    ...stored,
    id: 'pages-last-has-more',
    breaks: 'The last page of V3 files states that more files follow.',
    target: 'PAGES-05',
    tamper: says(at('GET', v3Files), { hasMore: true }),
  },
  {
    ...stored,
    id: 'pages-last-again',
    breaks: 'The page after the last page of V2 profiles repeats the last page.',
    target: 'PAGES-05',
    mayAlso: ['PAGES-01', 'PAGES-02'],
    tamper: queries(at('GET', '/api/v2/profiles'), 'pageNumber', (page) => String(Math.min(Number(page), 4))),
  },
  {
    ...stored,
    id: 'pages-cursor-breaks',
    breaks: 'An unknown cursor makes the V4 list of files answer 500.',
    target: 'PAGES-06',
    tamper: turns(at('GET', v4Files), 400, { status: 500, body: { detail: 'Internal Server Error' } }),
  },
  {
    ...stored,
    id: 'pages-cursor-leads-back',
    breaks: 'The cursor of one V4 list of files is accepted for another workspace.',
    target: 'PAGES-07',
    tamper: leadsBack(v4Files),
  },
  {
    ...stored,
    id: 'pages-insert-shifts',
    breaks: 'V4 files that are stored between two pages shift the rows of the next page.',
    target: 'PAGES-08',
    mayAlso: ['PAGES-09'],
    tamper: offsets(v4Files),
  },
  {
    ...stored,
    id: 'pages-delete-shifts',
    breaks: 'A V3 file that is removed between two pages shifts the rows of the next page.',
    target: 'PAGES-09',
    mayAlso: ['PAGES-08'],
    tamper: offsets(v3Files),
  },
  {
    ...standing,
    id: 'pages-run-lost',
    breaks: 'Each page of V4 runs after the first omits its first run.',
    target: 'PAGES-11',
    mayAlso: ['PAGES-15'],
    tamper: rows(at('GET', '/api/v4/runs', ofAll), 'runs', (runs, seen) =>
      query(seen, 'cursor') === null ? runs : runs.slice(1),
    ),
  },
  {
    ...standing,
    id: 'pages-tasks-out-of-order',
    breaks: 'The first and the second page of V2 tasks are swapped when pages are small.',
    target: 'PAGES-12',
    tamper: queries(at('GET', '/api/v2/tasks', ofAll), 'pageNumber', (page) => ({ 1: '2', 2: '1' })[page] ?? page),
  },
  {
    ...standing,
    id: 'pages-runs-more-than-asked',
    breaks: 'A page of V4 runs has one run more than requested.',
    target: 'PAGES-13',
    tamper: queries(at('GET', '/api/v4/runs', ofAll), 'limit', (limit) => String(Number(limit) + 1)),
  },
  {
    ...standing,
    id: 'pages-v2-sessions-miscounted',
    breaks: 'The total of V2 sessions is one too high.',
    target: 'PAGES-14',
    tamper: told(at('GET', '/api/v2/sessions'), (body) => ({ ...body, totalItems: Number(body['totalItems']) + 1 })),
  },
  {
    ...standing,
    id: 'pages-sessions-go-on',
    breaks: 'The last page of V4 sessions states that more sessions follow.',
    target: 'PAGES-15',
    tamper: says(at('GET', '/api/v4/sessions'), { hasMore: true }),
  },
  {
    ...standing,
    id: 'pages-run-cursor-breaks',
    breaks: 'An unknown cursor makes the list of V4 runs answer 500.',
    target: 'PAGES-16',
    tamper: turns(at('GET', '/api/v4/runs'), 400, { status: 500, body: { detail: 'Internal Server Error' } }),
  },
  {
    ...standing,
    id: 'pages-far-page-breaks',
    breaks: 'A page of V3 sessions far after the last page answers 503.',
    target: 'PAGES-16',
    tamper: {
      answer: (seen) =>
        isAt(at('GET', '/api/v3/sessions', on('page', '1000000')), seen) ? { status: 503 } : undefined,
    },
  },
];
