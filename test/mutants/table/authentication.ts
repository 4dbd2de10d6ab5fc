import { requirements } from '#generated/requirements.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';

const tenancy = requirements.map(({ id }) => id).filter((id) => id.startsWith('TENANCY-'));

const header = 'x-service-api-key';

/** Lets requests through that fit, as if they carried the key. */
function admits(fits: (seen: Seen) => boolean): Tamper {
  return { request: (seen) => (fits(seen) ? { headers: { ...seen.headers, [header]: testKey } } : undefined) };
}

const bare = (seen: Seen): boolean =>
  seen.headers[header] === undefined && seen.headers['authorization'] === undefined && !seen.url.includes('?');

/** Servers that let in whom they should not. */
export const authenticationMutants: readonly Mutant[] = [
  {
    id: 'open-to-all',
    breaks: 'A request without a key is served.',
    server: 'reference',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits(bare),
  },
  {
    id: 'open-v2',
    breaks: 'V2 serves a request without a key.',
    server: 'mock',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits((seen) => bare(seen) && seen.url.startsWith('/api/v2')),
  },
  {
    id: 'open-v4',
    breaks: 'V4 serves a request without a key.',
    server: 'mock',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits((seen) => bare(seen) && seen.url.startsWith('/api/v4')),
  },
  {
    id: 'any-key',
    breaks: 'Any text in the key header authenticates.',
    server: 'reference',
    target: 'AUTH-04',
    // Where every key is ours, another project is ours too.
    mayAlso: tenancy,
    tamper: admits((seen) => seen.headers[header] !== undefined),
  },
  {
    id: 'any-key-v2',
    breaks: 'V2 takes any text as a key.',
    server: 'mock',
    target: 'AUTH-04',
    tamper: admits((seen) => seen.headers[header] !== undefined && seen.url.startsWith('/api/v2')),
  },
  {
    id: 'bearer',
    breaks: 'A bearer token authenticates.',
    server: 'reference',
    target: 'AUTH-03',
    tamper: admits((seen) => seen.headers['authorization'] !== undefined),
  },
  {
    id: 'bearer-v4',
    breaks: 'V4 takes a bearer token.',
    server: 'mock',
    target: 'AUTH-03',
    tamper: admits((seen) => seen.headers['authorization'] !== undefined && seen.url.startsWith('/api/v4')),
  },
  {
    id: 'key-in-query',
    breaks: 'A key in the query authenticates.',
    server: 'reference',
    target: 'AUTH-03',
    tamper: admits((seen) => seen.headers[header] === undefined && seen.url.includes(testKey)),
  },
];
