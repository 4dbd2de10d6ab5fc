import { isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { at, isAt, readBody, says, told, turns, wants } from '../operation-tampers.ts';

const judged = { server: 'scripted', only: ['browser-profiles'] } as const;
const creation = at('POST', '/api/v4/browsers');
const removal = at('DELETE', '/api/v4/profiles/*');

/** Tells which creations name a profile that an earlier creation has named. */
function createUses(): { isAgain: (seen: Seen) => boolean } {
  const creations = [creation, at('POST', '/api/v3/sessions')];
  const firsts = new Map<unknown, Seen['body']>();
  return {
    isAgain: (seen) => {
      const { profileId } = readBody(seen);
      if (profileId === undefined || !creations.some((place) => isAt(place, seen))) return false;
      const first = firsts.get(profileId) ?? seen.body;
      firsts.set(profileId, first);
      return first !== seen.body;
    },
  };
}

/** Refuses the second use of each profile, and each later use. Accepts all but the first `times` of them. */
function refusesAgain(status: number, times = Infinity): () => Tamper {
  return () => {
    const { isAgain } = createUses();
    const refused = new Set<Seen['body']>();
    return {
      // The good server creates nothing for a profile that is no id.
      request: (seen) => {
        if (!isAgain(seen) || refused.size >= times) return undefined;
        refused.add(seen.body);
        return { body: { ...readBody(seen), profileId: 7 } };
      },
      answer: ({ body }) => (refused.has(body) ? { status, body: { detail: 'The profile is in use' } } : undefined),
    };
  };
}

const reuse = { server: 'scripted', only: ['SVC-06'], target: 'SVC-06' } as const;

/** Servers whose profiles store too little or too much data, or data of other profiles. */
export const browserProfileMutants: readonly Mutant[] = [
  {
    ...judged,
    id: 'profile-not-loaded',
    breaks: "A browser with a profile starts without the profile's data.",
    target: 'BROWSER-PROFILE-01',
    mayAlso: ['BROWSER-PROFILE-02', 'BROWSER-PROFILE-06'],
    tamper: wants(creation, () => ({ profileId: undefined })),
  },
  {
    ...judged,
    id: 'profile-without-session-cookies',
    breaks: 'A profile does not keep session cookies.',
    target: 'BROWSER-PROFILE-02',
    tamper: {
      sockets: {
        // Drops the command that sets a session cookie, as if the cookie was lost before the browser's end.
        rewrite: (command) => (setsSessionCookie(command) ? { ...command, method: 'Browser.getVersion' } : command),
      },
    },
  },
  {
    ...judged,
    id: 'profile-of-first-browser',
    breaks: 'Every browser loads the profile of the first browser that has one.',
    target: 'BROWSER-PROFILE-03',
    tamper: () => {
      let first: string | undefined;
      return wants(creation, (body) => {
        first ??= typeof body['profileId'] === 'string' ? body['profileId'] : undefined;
        return first === undefined ? {} : { profileId: first };
      });
    },
  },
  {
    ...judged,
    id: 'profile-of-browser-before',
    breaks: 'A browser without a profile loads the profile of the browser before it.',
    target: 'BROWSER-PROFILE-03',
    tamper: () => {
      let last: string | undefined;
      return wants(creation, (body) => {
        if (typeof body['profileId'] === 'string') last = body['profileId'];
        return last === undefined ? {} : { profileId: last };
      });
    },
  },
  {
    ...judged,
    id: 'profile-shared-without-profile',
    breaks: 'Browsers without a profile share one.',
    target: 'BROWSER-PROFILE-03',
    tamper: () => {
      let shared: string | undefined;
      return {
        answer: (seen, { status, body }) => {
          if (isAt(at('POST', '/api/v4/profiles'), seen) && status === 201 && isJsonObject(body))
            shared = String(body['id']);
          return undefined;
        },
        ...wants(creation, (body) => (body['profileId'] === undefined && shared ? { profileId: shared } : {})),
      };
    },
  },
  {
    ...judged,
    id: 'profile-in-use-fails',
    breaks: 'A second browser with a profile that is in use is answered with 500.',
    target: 'BROWSER-PROFILE-04',
    tamper: turns(creation, 409, { status: 500, body: { detail: 'the profile folder is locked' } }),
  },
  {
    ...judged,
    id: 'profile-of-other-domains',
    breaks: 'A profile lists domains without cookies and omits the domains of its cookies.',
    target: 'BROWSER-PROFILE-05',
    tamper: says(at('GET', '/api/v4/profiles/*'), { cookieDomains: ['elsewhere.example'] }),
  },
  {
    ...judged,
    id: 'profile-lists-no-domains',
    breaks: 'A profile with cookies lists no domains.',
    target: 'BROWSER-PROFILE-05',
    tamper: says(at('GET', '/api/v4/profiles/*'), { cookieDomains: [] }),
  },
  {
    ...judged,
    id: 'profile-never-deleted',
    breaks: 'The deletion of a profile succeeds but deletes nothing.',
    target: 'BROWSER-PROFILE-06',
    tamper: {
      request: (seen) => (isAt(removal, seen) ? { method: 'GET' } : undefined),
      answer: (seen) => (isAt(removal, seen) ? { status: 204, body: '' } : undefined),
    },
  },
  {
    ...reuse,
    id: 'profile-used-once',
    breaks: 'A profile of a browser that has ended is in use for good.',
    tamper: refusesAgain(409),
  },
  {
    ...reuse,
    id: 'profile-ends-with-browser',
    breaks: 'A profile is deleted with its first browser.',
    tamper: refusesAgain(404),
  },
  {
    ...reuse,
    id: 'profile-fails-again',
    breaks: 'The second browser with a profile is answered with 500.',
    tamper: refusesAgain(500),
  },
  {
    ...reuse,
    id: 'profile-used-once-by-sessions',
    breaks: 'A profile of a V3 session that has ended is in use for good.',
    server: 'reference',
    tamper: refusesAgain(409),
  },
  {
    ...reuse,
    id: 'profile-breaks-browser',
    breaks: 'No client reaches the second browser with a profile.',
    tamper: () => {
      const { isAgain } = createUses();
      const dead = new Set<string>();
      return {
        answer: (seen, { body }) => {
          const cdpUrl = isAgain(seen) && isJsonObject(body) ? body['cdpUrl'] : undefined;
          if (typeof cdpUrl === 'string') dead.add(new URL(cdpUrl).pathname);
          return undefined;
        },
        sockets: { open: ({ path }) => !dead.has(path.split('?')[0] ?? '') },
      };
    },
  },
  {
    ...reuse,
    id: 'profile-of-another-shown',
    breaks: 'The second browser with a profile shows another profile.',
    tamper: () => {
      const { isAgain } = createUses();
      const wrong = new Set<unknown>();
      return {
        answer: (seen, { body }) => {
          if (!isJsonObject(body)) return undefined;
          if (isAgain(seen)) wrong.add(body['id']);
          return wrong.has(body['id'])
            ? { body: { ...body, profileId: '00000000-0000-4000-8000-000000000009' } }
            : undefined;
        },
      };
    },
  },
];

function setsSessionCookie({ method, params }: Readonly<Record<string, unknown>>): boolean {
  const cookies: unknown = isJsonObject(params) ? params['cookies'] : undefined;
  return (
    method === 'Storage.setCookies' &&
    Array.isArray(cookies) &&
    cookies.some((cookie) => isJsonObject(cookie) && cookie['expires'] === undefined)
  );
}

/** Conforming variants, for which no check may fail. */
export const legalBrowserProfiles: readonly Omit<Mutant, 'target'>[] = [
  {
    ...judged,
    id: 'profile-second-starts-clean',
    breaks: 'A second browser with a profile that is in use starts without it, and domains have a leading dot.',
    tamper: () => {
      const used = new Set<string>();
      const dotted = told(at('GET', '/api/v4/profiles/*'), ({ cookieDomains, ...profile }) => ({
        ...profile,
        cookieDomains: Array.isArray(cookieDomains) ? cookieDomains.map((domain) => `.${String(domain)}`) : null,
      }));
      const second = wants(creation, ({ profileId }) => {
        const isSecond = typeof profileId === 'string' && used.has(profileId);
        if (typeof profileId === 'string') used.add(profileId);
        return isSecond ? { profileId: undefined } : {};
      });
      const stopped = at('PATCH', '/api/v4/browsers/*');
      return {
        ...second,
        answer(seen, given) {
          if (isAt(stopped, seen)) used.clear();
          return dotted.answer?.(seen, given);
        },
      };
    },
  },
  {
    ...reuse,
    id: 'profile-released-later',
    breaks: 'A profile is released some time after the stop of its browser, and no browser shows its profile.',
    tamper: () => {
      const refusing = refusesAgain(409, 2)();
      return {
        request: (seen) => refusing.request?.(seen),
        answer: (seen, given) => {
          if (!seen.url.startsWith('/api/v4/browsers') || !isJsonObject(given.body)) return undefined;
          return refusing.answer?.(seen, given) ?? { body: { ...given.body, profileId: null } };
        },
      };
    },
  },
];
