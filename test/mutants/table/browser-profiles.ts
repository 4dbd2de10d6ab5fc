import { isJsonObject } from '#lib/json.ts';
import type { Mutant } from '../mutant.ts';
import { at, isAt, says, told, turns, wants } from '../operation-tampers.ts';

const judged = { server: 'scripted', only: ['browser-profiles'] } as const;
const creation = at('POST', '/api/v4/browsers');
const removal = at('DELETE', '/api/v4/profiles/*');

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
];
