import { problem } from '#domain/problems.ts';
import { isJsonObject } from '#domain/json.ts';
import { hashOf } from '../../accounts/key-hash.ts';
import { limitOf } from '../../shared/limit-of.ts';
import type { ConsoleOperation, ConsoleTools } from '../console-operation.ts';
import { cookieHeader, cookieOf } from '../login/cookie.ts';
import { shownLogin } from './shown-login.ts';

/** Opens a login with a key or a link. Somebody who tries too much is not heard. */
export const logIn: ConsoleOperation = {
  guard: 'open',
  async answer({ wire, body }, tools) {
    const refusal = tools.refusedLogins.refusalOf(wire.address);
    if (refusal !== null) return refusal;
    const cookie = isJsonObject(body) ? await opened(tools, body['key'], body['link']) : null;
    const login = cookie === null ? null : await tools.door.sessions.find(cookie);
    if (cookie === null || login === null) {
      tools.refusedLogins.note(wire.address);
      return problem('login_refused', {});
    }
    const setCookie = cookieHeader(cookie, limitOf(tools.rules, 'consoleSession'), tools.publicUrl());
    return { status: 200, body: await shownLogin(tools, login, cookie), headers: { 'set-cookie': setCookie } };
  },
};

async function opened({ keyring, links, door }: ConsoleTools, key: unknown, link: unknown): Promise<string | null> {
  if (typeof link === 'string') {
    const projectId = await links.use(link);
    return projectId === null ? null : door.sessions.open(projectId, null);
  }
  const principal = typeof key === 'string' ? await keyring.principalOf(key) : null;
  return principal === null ? null : door.sessions.open(principal.projectId, hashOf(String(key)));
}

/** Tells a page that was loaded anew who is logged in, and the token. No other site can read the answer. */
export const getLogin: ConsoleOperation = {
  guard: 'cookie',
  answer: async ({ wire, login }, tools) => ({
    status: 200,
    body: await shownLogin(tools, login, cookieOf(wire) ?? ''),
  }),
};

/** Ends a login for good. */
export const logOut: ConsoleOperation = {
  guard: 'login',
  async answer({ wire }, tools) {
    await tools.door.sessions.close(cookieOf(wire) ?? '');
    return { status: 204, body: undefined, headers: { 'set-cookie': cookieHeader('', 0, tools.publicUrl()) } };
  },
};
