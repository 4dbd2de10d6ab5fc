import type { WireRequest } from '#http/wire.ts';
import type { Principal } from '../accounts/keyring.ts';
import type { ConsoleSession, ConsoleSessions } from './login/console-sessions.ts';
import { cookieOf } from './login/cookie.ts';
import { createConsoleSessions } from './login/console-sessions.ts';
import type { LinkParts } from './login/login-links.ts';
import { isOwnOrigin } from './login/own-origin.ts';
import { isCsrfOf } from './login/secret-token.ts';

/** The header of the token that goes with the cookie. */
const tokenHeader = 'x-service-console';

/** Who comes from the console. */
export interface ConsoleDoor {
  readonly sessions: ConsoleSessions;
  /** The login that a request may act for: its cookie, the token in its header and its origin are right; else null. */
  loginOf(request: WireRequest): Promise<ConsoleSession | null>;
  /** The same as a caller of the documented operations. */
  principalOf(request: WireRequest): Promise<Principal | null>;
}

/** What a door is made of. */
export interface DoorParts extends LinkParts {
  publicUrl(): string;
}

/** A cookie alone opens nothing, not even for reading: whoever made a browser send it does not know the token. */
export function createConsoleDoor(parts: DoorParts): ConsoleDoor {
  const sessions = createConsoleSessions(parts);
  const loginOf = async (request: WireRequest): Promise<ConsoleSession | null> => {
    const cookie = cookieOf(request);
    const token = request.headers[tokenHeader];
    if (cookie === null || token === undefined || !isCsrfOf(cookie, token)) return null;
    return isOwnOrigin(request, parts.publicUrl()) ? sessions.find(cookie) : null;
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
