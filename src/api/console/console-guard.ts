import type { HttpRequest } from '#contract/http-messages.ts';
import type { Principal } from '#accounts/keyring.ts';
import { type ConsoleSession, type ConsoleSessions, createConsoleSessions } from './login/console-sessions.ts';
import { consoleCookie } from './login/login-secrets.ts';
import type { LinkDeps } from './login/login-links.ts';
import { type Problem, problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { addressGroup } from '#lib/http.ts';
import type { Clock } from '#lib/clock.ts';
import { createWindows } from '../rates.ts';

/** Header of the CSRF token, in lower case. */
const tokenHeader = 'x-service-console';

/** Authentication of the requests of the console. */
export interface ConsoleGuard {
  readonly sessions: ConsoleSessions;
  /** Returns the login of a request with a valid cookie, CSRF token and origin; otherwise null. */
  findLogin(request: HttpRequest): Promise<ConsoleSession | null>;
  /**
   * Returns the project and key for which a console login calls a documented operation; null unless {@link
   * ConsoleGuard.findLogin} accepts the request.
   */
  findPrincipal(request: HttpRequest): Promise<Principal | null>;
}

/** Dependencies of the console guard. */
export interface GuardDeps extends LinkDeps {
  publicUrl(): string;
}

/**
 * Creates the console guard. Even reads require the CSRF token, because browsers send the cookie also to other ports of
 * the host and with requests of other pages.
 */
export function createConsoleGuard(deps: GuardDeps): ConsoleGuard {
  const sessions = createConsoleSessions(deps);
  const readLogin = async (request: HttpRequest): Promise<ConsoleSession | null> => {
    const cookie = consoleCookie(request, deps.publicUrl());
    const csrf = request.headers[tokenHeader];
    if (cookie === null || csrf === undefined) return null;
    return isOwnOrigin(request, deps.publicUrl()) ? sessions.find({ cookie, csrf }) : null;
  };
  return {
    sessions,
    findLogin: readLogin,
    async findPrincipal(request) {
      const login = await readLogin(request);
      if (login === null) return null;
      const { projectId, id, keyId, zeroDataRetention, limits, maySchedule, monthlyMicros } = login;
      // Work after a login with a key counts for the key, so that its limit holds in the console too.
      return { projectId, keyId: keyId ?? id, zeroDataRetention, limits, maySchedule, monthlyMicros };
    },
  };
}

/**
 * Accepted values of `Sec-Fetch-Site`: `same-origin` for requests of the console's page, `none` for URLs that the user
 * typed, and undefined for clients without this header. A page on another port of the host sends `same-site`.
 */
const ownSites = new Set<string | undefined>(['same-origin', 'none', undefined]);

/**
 * Returns true if `Sec-Fetch-Site` has an accepted value, and `Origin` is the public URL or has the host of the
 * request. Browsers send `Origin` with every request except reads, so only a GET may lack `Origin`. A page of another
 * origin cannot forge these headers.
 */
export function isOwnOrigin(request: Pick<HttpRequest, 'method' | 'headers'>, publicUrl: string): boolean {
  const { origin, host } = request.headers;
  if (!ownSites.has(request.headers['sec-fetch-site'])) return false;
  if (origin === undefined) return request.method === 'GET';
  if (!URL.canParse(origin)) return false;
  return origin === parseOrigin(publicUrl) || new URL(origin).host === host;
}

function parseOrigin(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}

const secondMs = 1000;

/** Limiter of failed login attempts. */
export interface RefusedLogins {
  /** Returns the refusal of a further login attempt from a client address; null to allow the attempt. */
  findRefusal(address: string): Problem | null;
  /** Counts a refused login of an address. */
  note(address: string): void;
}

/**
 * Creates a limiter that counts refused logins by group of client addresses in a time window. When a group has reached
 * the maximum, all its further logins are refused until the window ends.
 */
export function createRefusedLogins(clock: Pick<Clock, 'now'>, rules: RuleBook): RefusedLogins {
  const windows = createWindows(clock, getLimit(rules, 'consoleLoginWindow'));
  const max = getLimit(rules, 'consoleLogins');
  return {
    findRefusal(address) {
      if (windows.count(addressGroup(address)) < max) return null;
      return problem('too_many_logins', { seconds: String(Math.ceil(windows.restMs() / secondMs)) });
    },
    note: (address) => void windows.add(addressGroup(address)),
  };
}
