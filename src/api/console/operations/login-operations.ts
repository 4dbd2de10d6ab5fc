import { problem } from '#contract/problems.ts';
import { isJsonObject } from '#lib/json.ts';
import { hashOf } from '#accounts/api-keys.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { ConsoleOperation, ConsoleTools } from '../console-operation.ts';
import type { LoginSecrets } from '../login/console-sessions.ts';
import { consoleCookie, cookieHeader } from '../login/cookie.ts';
import { shownLogin } from './shown-login.ts';

/** Opens a login with a key or a link. Somebody who tries too much is not heard. */
export const logIn: ConsoleOperation = {
  guard: 'open',
  async answer({ wire, body }, tools) {
    const refusal = tools.refusedLogins.refusalOf(wire.address);
    if (refusal !== null) return refusal;
    const secrets = isJsonObject(body) ? await opened(tools, body['key'], body['link']) : null;
    const login = secrets === null ? null : await tools.door.sessions.find(secrets);
    if (secrets === null || login === null) {
      tools.refusedLogins.note(wire.address);
      return problem('login_refused', {});
    }
    const { cookie, csrf } = secrets;
    const setCookie = cookieHeader(cookie, getLimit(tools.rules, 'consoleSession'), tools.publicUrl());
    return { status: 200, body: { csrf, ...(await shownLogin(tools, login)) }, headers: { 'set-cookie': setCookie } };
  },
};

async function opened(
  { keyring, links, door }: ConsoleTools,
  key: unknown,
  link: unknown,
): Promise<LoginSecrets | null> {
  if (typeof link === 'string') {
    const projectId = await links.use(link);
    return projectId === null ? null : door.sessions.open(projectId, null);
  }
  const principal = typeof key === 'string' ? await keyring.principalOf(key) : null;
  return principal === null ? null : door.sessions.open(principal.projectId, hashOf(String(key)));
}

/** Tells a page that was loaded again of its login. The page has the token: no answer repeats it. */
export const getLogin: ConsoleOperation = {
  guard: 'login',
  answer: async ({ login }, tools) => ({ status: 200, body: await shownLogin(tools, login) }),
};

/** Ends a login for good. */
export const logOut: ConsoleOperation = {
  guard: 'login',
  async answer({ wire }, tools) {
    const publicUrl = tools.publicUrl();
    await tools.door.sessions.close(consoleCookie(wire, publicUrl) ?? '');
    return { status: 204, body: undefined, headers: { 'set-cookie': cookieHeader('', 0, publicUrl) } };
  },
};
