import { problem } from '#contract/problems.ts';
import { isJsonObject } from '#lib/json.ts';
import { hashKey } from '#accounts/api-keys.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { ConsoleOperation, ConsoleContext } from '../console-operation.ts';
import type { LoginSecrets, ConsoleSession } from '../login/console-sessions.ts';
import { consoleCookie, cookieHeader } from '../login/login-secrets.ts';
import type { ConsoleLogin } from '#contract/console-messages.ts';
import { listProviders } from './provider-key-operations.ts';
import { shownProject } from './project-operations.ts';

/**
 * Creates a login by an API key or a login link. Refuses further attempts from a client address with too many refused
 * attempts.
 */
export const logIn: ConsoleOperation = {
  guard: 'open',
  async answer({ httpRequest: wire, body }, tools) {
    const refusal = tools.refusedLogins.findRefusal(wire.address);
    if (refusal !== null) return refusal;
    const secrets = isJsonObject(body) ? await opened(tools, body['key'], body['link']) : null;
    const login = secrets === null ? null : await tools.consoleGuard.sessions.find(secrets);
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
  { keyring, links, consoleGuard }: ConsoleContext,
  key: unknown,
  link: unknown,
): Promise<LoginSecrets | null> {
  if (typeof link === 'string') {
    const projectId = await links.use(link);
    return projectId === null ? null : consoleGuard.sessions.open(projectId, null);
  }
  const principal = typeof key === 'string' ? await keyring.findPrincipal(key) : null;
  return principal === null ? null : consoleGuard.sessions.open(principal.projectId, hashKey(String(key)));
}

/** Returns the login of a reloaded page. The response does not contain the CSRF token, which the page has stored. */
export const getLogin: ConsoleOperation = {
  guard: 'login',
  answer: async ({ login }, tools) => ({ status: 200, body: await shownLogin(tools, login) }),
};

/** Ends a login and removes its cookie. */
export const logOut: ConsoleOperation = {
  guard: 'login',
  async answer({ httpRequest: wire }, tools) {
    const publicUrl = tools.publicUrl();
    await tools.consoleGuard.sessions.close(consoleCookie(wire, publicUrl) ?? '');
    return { status: 204, body: undefined, headers: { 'set-cookie': cookieHeader('', 0, publicUrl) } };
  },
};

/** Returns a login as the console shows it. */
async function shownLogin(tools: ConsoleContext, login: ConsoleSession): Promise<ConsoleLogin> {
  const { rules, countries } = tools;
  const codes = rules.countries.countries.map(({ code }) => code);
  return {
    project: await shownProject(tools, login.projectId),
    isOperator: login.isOperator,
    expiresAt: new Date(login.expiresAtMs).toISOString(),
    models: listModels(rules),
    countries: codes.filter((code) => countries === null || countries.has(code)),
    providers: listProviders(rules),
    canExamine: tools.examinations !== null,
    maySchedule: login.maySchedule,
    scheduleModels: listScheduleModels(rules),
    hasModels: tools.hasProviders || (await tools.providerKeys.list(login.projectId)).length > 0,
  };
}

function listModels({ models: { v4 } }: RuleBook): string[] {
  const first = v4.recommended.model;
  return [first, ...v4.models.map(({ name }) => name).filter((model) => model !== first)];
}

function listScheduleModels({ models: { v3 } }: RuleBook): string[] {
  const first = v3.default.model;
  return [first, ...v3.models.map(({ name }) => name).filter((model) => model !== first)];
}

/** Moves the login of an operator to another project. */
export const switchProject: ConsoleOperation = {
  guard: 'operator',
  async answer({ login, httpRequest: wire, body }, tools) {
    const wanted = isJsonObject(body) ? body['projectId'] : null;
    const project = (await tools.projects.list()).find(({ id }) => id === wanted);
    if (project === undefined) return problem('project_not_found', {});
    await tools.consoleGuard.sessions.switchProject(consoleCookie(wire, tools.publicUrl()) ?? '', project.id);
    return { status: 200, body: await shownLogin(tools, { ...login, projectId: project.id }) };
  },
};
