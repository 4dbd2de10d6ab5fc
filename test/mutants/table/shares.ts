import { randomUUID } from 'node:crypto';
import type { Mutant, Tamper } from '../mutant.ts';
import { type At, at, does, isAt, says, told, turns } from '../operation-tampers.ts';

const shares = { server: 'reference', only: ['shares'] } as const;
const purges = { server: 'reference', only: ['purge'] } as const;
const share = '/api/v2/sessions/*/public-share';
const [get, make, end] = [at('GET', share), at('POST', share), at('DELETE', share)];
const page = at('GET', '/share/*');
const getSession = at('GET', '/api/v2/sessions/*');

/**
 * Shows a new share token in every answer to a share creation except the first, as if each further POST had created
 * another share.
 */
function another(): Tamper {
  let made = 0;
  return told(make, (body) => {
    made += 1;
    return made > 1 ? { ...body, shareToken: randomUUID() } : body;
  });
}

/** Shows a member as null after a purge request, as if the refused purge had removed the member. */
function gone(purge: At, place: At, member: string): () => Tamper {
  return () => {
    let purged = false;
    return {
      answer: (seen, { body }) => {
        purged ||= isAt(purge, seen);
        return purged && isAt(place, seen) ? { body: { ...(body as object), [member]: null } } : undefined;
      },
    };
  };
}

/** Servers whose public shares are wrong. */
export const shareMutants: readonly Mutant[] = [
  {
    ...shares,
    id: 'share-another',
    breaks: 'A second POST creates another share.',
    target: 'SHARE-01',
    tamper: another,
  },
  {
    ...shares,
    id: 'share-200',
    breaks: 'POST of a share answers 200.',
    target: 'SHARE-01',
    tamper: turns(make, 201, { status: 200 }),
  },
  {
    ...shares,
    id: 'share-not-shown',
    breaks: 'A shared session does not show its share.',
    target: 'SHARE-02',
    tamper: says(getSession, { publicShareUrl: null }),
  },
  {
    ...shares,
    id: 'share-closed',
    breaks: 'The URL of a share requires the API key.',
    target: 'SHARE-03',
    tamper: { ...turns(page, 200, { status: 401 }), addresses: true },
  },
  {
    ...shares,
    id: 'share-uncounted',
    breaks: 'Views of a share are not counted.',
    target: 'SHARE-04',
    tamper: says(get, { viewCount: 0 }),
  },
  {
    ...shares,
    id: 'share-never-viewed',
    breaks: 'An opened share has no time of its last view.',
    target: 'SHARE-04',
    tamper: says(get, { lastViewedAt: null }),
  },
  {
    ...shares,
    id: 'share-outlives',
    breaks: 'The URL of a deleted share still works.',
    target: 'SHARE-05',
    tamper: { ...turns(page, 404, { status: 200 }), addresses: true },
  },
  {
    ...shares,
    id: 'share-not-deleted',
    breaks: 'DELETE of a share answers 204 and does nothing.',
    target: 'SHARE-05',
    mayAlso: ['SHARE-06'],
    tamper: does(end, { status: 204 }),
  },
  {
    ...shares,
    id: 'share-text',
    breaks: 'An unknown share is answered with a different error text.',
    target: 'SHARE-06',
    tamper: turns(get, 404, { body: { detail: 'Not found' } }),
  },
  {
    ...purges,
    id: 'purge-v2-204',
    breaks: 'Every project may purge V2 sessions.',
    target: 'PURGE-01',
    tamper: turns(at('POST', '/api/v2/sessions/*/purge'), 403, { status: 204 }),
  },
  {
    ...purges,
    id: 'purge-v4-404',
    breaks: 'A refused purge of a V4 session answers 404.',
    target: 'PURGE-01',
    tamper: turns(at('POST', '/api/v4/sessions/*/purge'), 403, { status: 404 }),
  },
  {
    ...purges,
    id: 'purge-erases-v2',
    breaks: 'A refused purge deletes the output of a V2 task.',
    target: 'PURGE-01',
    tamper: gone(at('POST', '/api/v2/sessions/*/purge'), at('GET', '/api/v2/tasks/*'), 'output'),
  },
  {
    ...purges,
    id: 'purge-erases-v4',
    breaks: 'A refused purge deletes the result of a V4 run.',
    target: 'PURGE-01',
    tamper: gone(at('POST', '/api/v4/sessions/*/purge'), at('GET', '/api/v4/runs/*'), 'result'),
  },
];

/** Conforming variants, for which no check may fail. */
export const legalShares: readonly Omit<Mutant, 'target'>[] = [
  {
    ...shares,
    id: 'share-legal-410',
    breaks: 'The URL of a deleted share answers 410.',
    tamper: { ...turns(page, 404, { status: 410 }), addresses: true },
  },
];
