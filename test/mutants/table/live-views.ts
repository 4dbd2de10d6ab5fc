import { livePages, notFramable } from '../live-page-tampers.ts';
import type { Mutant } from '../mutant.ts';

const base = { server: 'scripted', only: ['live-views'] } as const;

/** Servers whose live views are wrong. */
export const liveViewMutants: readonly Mutant[] = [
  {
    ...base,
    id: 'live-view-needs-key',
    breaks: 'The page of a live view requires the API key.',
    target: 'LIVE-VIEW-01',
    tamper: livePages(() => ({ status: 401, body: { detail: 'Invalid API key' } })),
  },
  {
    ...base,
    id: 'live-view-no-page',
    breaks: 'The URL of a live view returns JSON.',
    target: 'LIVE-VIEW-01',
    tamper: livePages((_seen, { status, headers }) =>
      status === 200 ? { headers: { ...headers, 'content-type': 'application/json' }, body: {} } : undefined,
    ),
  },
  {
    ...base,
    id: 'live-view-not-framable',
    breaks: 'The page of a live view forbids embedding in a frame.',
    target: 'LIVE-VIEW-02',
    tamper: notFramable,
  },
  {
    ...base,
    id: 'live-view-any-address',
    breaks: 'Any URL opens a live view.',
    target: 'LIVE-VIEW-03',
    mayAlso: ['LIVE-VIEW-04'],
    tamper: livePages((_seen, { status }) => (status === 404 ? { status: 200 } : undefined)),
  },
  {
    ...base,
    id: 'live-view-outlives-browser',
    breaks: 'The URL of a live view still works after the stop of its browser.',
    target: 'LIVE-VIEW-04',
    tamper: outlives,
  },
];

/** Answers 200 at every live view URL that has ever answered 200. */
function outlives(): ReturnType<typeof livePages> {
  const open = new Set<string>();
  return livePages(({ url }, { status }) => {
    if (status === 200) open.add(url);
    return open.has(url) ? { status: 200 } : undefined;
  });
}
