import type { HttpRequest } from '#contract/http-messages.ts';
import type { Principal } from '#accounts/keyring.ts';
import { type ConsoleSession, type ConsoleSessions, createConsoleSessions } from './login/console-sessions.ts';
import { consoleCookie } from './login/login-secrets.ts';
import type { LinkParts } from './login/login-links.ts';
import { type Problem, problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { addressGroup } from '#lib/address-group.ts';
import type { Clock } from '#lib/clock.ts';
import { createWindows } from '../rates.ts';

/** The header of the token that goes with the cookie. */
const tokenHeader = 'x-service-console';

/** Who comes from the console. */
export interface ConsoleGuard {
  readonly sessions: ConsoleSessions;
  /** The login that a request may act for: its cookie, the token in its header and its origin are right; else null. */
  findLogin(request: HttpRequest): Promise<ConsoleSession | null>;
  /** The same as a caller of the documented operations. */
  findPrincipal(request: HttpRequest): Promise<Principal | null>;
}

/** What a door is made of. */
export interface GuardDeps extends LinkParts {
  publicUrl(): string;
}

/** A cookie alone opens nothing, not even for reading: other ports of the host see it, and its browser can be made to send it. */
export function createConsoleGuard(deps: GuardDeps): ConsoleGuard {
  const sessions = createConsoleSessions(deps);
  const loginOf = async (request: HttpRequest): Promise<ConsoleSession | null> => {
    const cookie = consoleCookie(request, deps.publicUrl());
    const csrf = request.headers[tokenHeader];
    if (cookie === null || csrf === undefined) return null;
    return isOwnOrigin(request, deps.publicUrl()) ? sessions.find({ cookie, csrf }) : null;
  };
  return {
    sessions,
    findLogin: loginOf,
    async findPrincipal(request) {
      const login = await loginOf(request);
      if (login === null) return null;
      const { projectId, id: keyId, zeroDataRetention, limits } = login;
      return { projectId, keyId, zeroDataRetention, limits };
    },
  };
}

/** What `Sec-Fetch-Site` says of a request of our own page, or of an address that a person typed. Another port of the host is `same-site`. */
const ownSites = new Set<string | undefined>(['same-origin', 'none', undefined]);

/**
 * Returns whether a request comes from a page of this very service. A browser names the origin of whatever a page sends that is more than a
 * read: it has to be the public address or the one that was asked, which no page of another origin can claim. A read has no origin.
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

/** Keeps who guesses from guessing on. */
export interface RefusedLogins {
  /** The refusal of a further try from an address, or null. */
  findRefusal(address: string): Problem | null;
  /** Counts a login that was refused. */
  note(address: string): void;
}

/** Counts refused logins of an address in windows of time; who has too many has to wait for the next window, right or wrong. */
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
