import type { HttpRequest } from '#contract/http-messages.ts';
import type { Principal } from '#accounts/keyring.ts';
import type { ConsoleSession, ConsoleSessions } from './login/console-sessions.ts';
import { consoleCookie } from './login/cookie.ts';
import { createConsoleSessions } from './login/console-sessions.ts';
import type { LinkParts } from './login/login-links.ts';
import { isOwnOrigin } from './login/own-origin.ts';

/** The header of the token that goes with the cookie. */
const tokenHeader = 'x-service-console';

/** Who comes from the console. */
export interface ConsoleDoor {
  readonly sessions: ConsoleSessions;
  /** The login that a request may act for: its cookie, the token in its header and its origin are right; else null. */
  loginOf(request: HttpRequest): Promise<ConsoleSession | null>;
  /** The same as a caller of the documented operations. */
  principalOf(request: HttpRequest): Promise<Principal | null>;
}

/** What a door is made of. */
export interface DoorParts extends LinkParts {
  publicUrl(): string;
}

/** A cookie alone opens nothing, not even for reading: other ports of the host see it, and its browser can be made to send it. */
export function createConsoleDoor(deps: DoorParts): ConsoleDoor {
  const sessions = createConsoleSessions(deps);
  const loginOf = async (request: HttpRequest): Promise<ConsoleSession | null> => {
    const cookie = consoleCookie(request, deps.publicUrl());
    const csrf = request.headers[tokenHeader];
    if (cookie === null || csrf === undefined) return null;
    return isOwnOrigin(request, deps.publicUrl()) ? sessions.find({ cookie, csrf }) : null;
  };
  return {
    sessions,
    loginOf,
    async principalOf(request) {
      const login = await loginOf(request);
      if (login === null) return null;
      const { projectId, id: keyId, zeroDataRetention, limits } = login;
      return { projectId, keyId, zeroDataRetention, limits };
    },
  };
}
