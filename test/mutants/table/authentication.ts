import { requirements } from '#generated/requirements.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';

const tenancy = requirements.map(({ id }) => id).filter((id) => id.startsWith('TENANCY-'));

const header = 'x-service-api-key';

/** Adds the valid key to matching requests. */
function admits(fits: (seen: Seen) => boolean): Tamper {
  return { request: (seen) => (fits(seen) ? { headers: { ...seen.headers, [header]: testKey } } : undefined) };
}

const credentials = [header, 'x-api-key', 'authorization', 'cookie'];

const bare = (seen: Seen): boolean =>
  credentials.every((name) => seen.headers[name] === undefined) && !seen.url.includes('?');

const isKeyed = ({ headers }: Seen): boolean => headers[header] !== undefined && headers[header] !== '';

/** Servers that accept invalid credentials. */
export const authenticationMutants: readonly Mutant[] = [
  {
    id: 'open-to-all',
    breaks: 'A request without a key is served.',
    server: 'reference',
    target: 'AUTH-01',
    mayAlso: ['AUTH-03', 'GEN-03'],
    tamper: admits(bare),
  },
  {
    id: 'open-v2',
    breaks: 'V2 serves a request without a key.',
    server: 'mock',
    target: 'AUTH-01',
    mayAlso: ['GEN-03', 'AUTH-03'],
    tamper: admits((seen) => bare(seen) && seen.url.startsWith('/api/v2')),
  },
  {
    id: 'open-v4',
    breaks: 'V4 serves a request without a key.',
    server: 'mock',
    target: 'AUTH-01',
    mayAlso: ['GEN-03', 'AUTH-03'],
    tamper: admits((seen) => bare(seen) && seen.url.startsWith('/api/v4')),
  },
  {
    id: 'open-messages',
    breaks: 'The messages of a V3 session are served without a key.',
    server: 'reference',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits((seen) => bare(seen) && /^\/api\/v3\/sessions\/[^/]+\/messages/.test(seen.url)),
  },
  {
    id: 'open-queue',
    breaks: 'The queue of a V4 session accepts a message without a key.',
    server: 'reference',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits((seen) => bare(seen) && seen.method === 'POST' && seen.url.endsWith('/queue')),
  },
  {
    id: 'open-profile-deletion',
    breaks: 'DELETE of a profile is served without a key.',
    server: 'reference',
    only: ['AUTH-01', 'PROFILE-02'],
    target: 'AUTH-01',
    tamper: admits((seen) => bare(seen) && seen.method === 'DELETE' && seen.url.includes('/profiles/')),
  },
  {
    id: 'open-session-stop',
    breaks: 'PATCH of a V2 session is served without a key.',
    server: 'reference',
    only: ['AUTH-01', 'V2-THINK-33'],
    target: 'AUTH-01',
    tamper: admits((seen) => bare(seen) && seen.method === 'PATCH' && seen.url.startsWith('/api/v2/sessions/')),
  },
  {
    id: 'open-logs',
    breaks: 'The log of a V2 task is served without a key.',
    server: 'reference',
    only: ['AUTH-01', 'V2-THINK-33'],
    target: 'AUTH-01',
    tamper: admits((seen) => bare(seen) && seen.url.endsWith('/logs')),
  },
  {
    id: 'any-key',
    breaks: 'Any text in the key header authenticates.',
    server: 'reference',
    target: 'AUTH-04',
    // A server that accepts every key treats another project as the same project.
    mayAlso: tenancy,
    tamper: admits(isKeyed),
  },
  {
    id: 'any-key-v2',
    breaks: 'V2 accepts any text as a key.',
    server: 'mock',
    target: 'AUTH-04',
    tamper: admits((seen) => isKeyed(seen) && seen.url.startsWith('/api/v2')),
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
    breaks: 'V4 accepts a bearer token.',
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
  {
    id: 'key-prefix',
    breaks: 'A prefix of a key authenticates.',
    server: 'reference',
    target: 'AUTH-04',
    tamper: admits(({ headers }) => isStart(headers[header], testKey)),
  },
  {
    id: 'key-with-tail',
    breaks: 'V2 ignores text after the key in its header.',
    server: 'mock',
    target: 'AUTH-04',
    tamper: admits(({ headers, url }) => isStart(testKey, headers[header]) && url.startsWith('/api/v2')),
  },
  {
    id: 'key-without-case',
    breaks: 'Keys are compared without regard to case.',
    server: 'reference',
    target: 'AUTH-04',
    tamper: admits(({ headers }) => headers[header]?.toLowerCase() === testKey.toLowerCase()),
  },
  {
    id: 'empty-key',
    breaks: 'An empty key header authenticates when a browser is created.',
    server: 'mock',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits(({ headers, url }) => headers[header] === '' && url === '/api/v4/browsers'),
  },
  {
    id: 'key-in-other-header',
    breaks: 'A key in X-API-Key authenticates.',
    server: 'reference',
    target: 'AUTH-03',
    tamper: admits(({ headers }) => headers['x-api-key'] === testKey),
  },
  {
    id: 'key-in-cookie',
    breaks: 'A key in a cookie authenticates when V2 tasks are listed.',
    server: 'reference',
    target: 'AUTH-03',
    tamper: admits(
      ({ headers, url }) => headers['cookie']?.includes(testKey) === true && url.startsWith('/api/v2/tasks'),
    ),
  },
  {
    id: 'key-as-basic-password',
    breaks: 'A key as the password of basic credentials authenticates.',
    server: 'mock',
    target: 'AUTH-03',
    tamper: admits(({ headers }) => passwordIn(headers['authorization']) === testKey),
  },
  {
    id: 'key-as-authorization',
    breaks: 'A key without a scheme in the Authorization header authenticates.',
    server: 'mock',
    target: 'AUTH-03',
    tamper: admits(({ headers }) => headers['authorization'] === testKey),
  },
  {
    id: 'key-under-any-scheme',
    breaks: 'A key behind any scheme but Bearer and Basic in the Authorization header authenticates.',
    server: 'mock',
    target: 'AUTH-03',
    tamper: admits(({ headers }) =>
      new RegExp(`^(?!Bearer|Basic)\\w+ ${testKey}$`).test(headers['authorization'] ?? ''),
    ),
  },
  {
    id: 'key-in-auth-token',
    breaks: 'A key in X-Auth-Token authenticates.',
    server: 'mock',
    target: 'AUTH-03',
    tamper: admits(({ headers }) => headers['x-auth-token'] === testKey),
  },
  {
    id: 'key-in-access-token',
    breaks: 'A key in the query member access_token authenticates.',
    server: 'mock',
    target: 'AUTH-03',
    tamper: admits(({ headers, url }) => headers[header] === undefined && url.includes(`access_token=${testKey}`)),
  },
  {
    id: 'key-in-quotes',
    breaks: 'A key in quotes authenticates.',
    server: 'mock',
    target: 'AUTH-04',
    tamper: admits(({ headers }) => headers[header] === `"${testKey}"`),
  },
  {
    id: 'open-workspace-creation',
    breaks: 'POST of a V4 workspace is served without a key.',
    server: 'mock',
    target: 'AUTH-01',
    mayAlso: ['GEN-03'],
    tamper: admits((seen) => bare(seen) && seen.method === 'POST' && seen.url === '/api/v4/workspaces'),
  },
  {
    id: 'denied-profile-deletion',
    breaks: 'DELETE of a profile without a key is answered 401 and deletes it.',
    server: 'reference',
    only: ['AUTH-01', 'PROFILE-02'],
    target: 'AUTH-01',
    tamper: denied((seen) => seen.method === 'DELETE' && seen.url.includes('/profiles/')),
  },
  {
    id: 'denied-task-stop',
    breaks: 'PATCH of a V2 task without a key is answered 401 and stops it.',
    server: 'reference',
    target: 'EFFECT-04',
    mayAlso: ['V2-TASK-11', 'V2-TASK-08'],
    only: ['EFFECT-04', 'V2-TASK-08', 'V2-TASK-11'],
    tamper: denied((seen) => seen.method === 'PATCH' && seen.url.startsWith('/api/v2/tasks/')),
  },
  {
    id: 'denied-session-stop',
    breaks: 'PATCH of a V2 session without a key is answered 401 and stops it.',
    server: 'reference',
    target: 'V2-SES-12',
    only: ['V2-SES-12', 'V2-THINK-33'],
    tamper: denied((seen) => seen.method === 'PATCH' && seen.url.startsWith('/api/v2/sessions/')),
  },
  {
    id: 'key-without-last-character',
    breaks: 'The last character of the key is not compared.',
    server: 'reference',
    target: 'AUTH-04',
    tamper: admits(({ headers }) => {
      const key = headers[header];
      return key?.length === testKey.length && key.slice(0, -1) === testKey.slice(0, -1);
    }),
  },
  {
    id: 'keys-without-prefix',
    breaks: 'No key begins with the prefix of the service.',
    server: 'mock',
    target: 'AUTH-05',
    targetFile: prefixed('service_live_'),
  },
  {
    id: 'other-key-without-prefix',
    breaks: 'The key of the other project does not begin with the prefix of the first key.',
    server: 'reference',
    only: ['AUTH-05'],
    target: 'AUTH-05',
    targetFile: prefixed('svc_test_'),
  },
  {
    id: 'key-is-prefix-alone',
    breaks: 'A key has no secret part after the prefix.',
    server: 'mock',
    target: 'AUTH-05',
    targetFile: prefixed(testKey),
  },
];

/** Adds the prefix of the service's keys to the target file. */
function prefixed(prefix: string): NonNullable<Mutant['targetFile']> {
  return (text) => `${text}keyPrefix: ${prefix}\n`;
}

/** Performs selected requests without a key, but answers 401. */
function denied(fits: (seen: Seen) => boolean): Tamper {
  const isHit = (seen: Seen): boolean => bare(seen) && fits(seen);
  return {
    ...admits(isHit),
    answer: (seen) => (isHit(seen) ? { status: 401, body: { detail: 'Missing API key' } } : undefined),
  };
}

/** Returns the password of basic credentials; undefined for another scheme. */
function passwordIn(authorization = ''): string | undefined {
  const [scheme, encoded = ''] = authorization.split(' ');
  return scheme === 'Basic' ? Buffer.from(encoded, 'base64').toString().split(':')[1] : undefined;
}

/** Returns true if a text begins with `start`, but is longer than `start`, and `start` is not empty. */
function isStart(start: string | undefined, text: string | undefined): boolean {
  return start !== undefined && start !== '' && text !== undefined && text !== start && text.startsWith(start);
}
