import { type Problem, isProblem, problem, renderProblem } from '#contract/problems.ts';
import { match } from '#contract/match.ts';
import type { Principal } from '#accounts/keyring.ts';
import { service } from '#generated/rules.ts';
import { parse } from '../http/parse.ts';
import { createVerify } from '../http/verify.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { ConsoleContext, ConsoleOperation } from './console-operation.ts';
import type { ConsoleSession } from './login/console-sessions.ts';
import { consoleCookies } from './login/login-secrets.ts';
import { isOwnOrigin } from './console-guard.ts';
import { type OperationValidators, createValidators } from '../http/validators.ts';
import { consoleDocument } from './console-document.ts';
import { changeProject, getCosts, listProjects } from './operations/project-operations.ts';
import { switchProject, getLogin, logIn, logOut } from './operations/login-operations.ts';
import { getExamination, getReport, startExamination, stopExamination } from './operations/examination-operations.ts';
import { createKey, listKeys, revokeKey } from './operations/key-operations.ts';
import { confirmSchedule, createSchedule, endSchedule, listSchedules } from './operations/schedule-operations.ts';
import { listPictures, listRecordings, getConsoleSession, listConsoleSessions } from './operations/task-operations.ts';
import { listConsoleWorkspaces } from './operations/workspace-operations.ts';
import {
  listIntegrations,
  removeIntegrationSecret,
  setIntegrationSecret,
  testIntegration,
} from './operations/integration-operations.ts';
import { listProviderKeys, removeProviderKey, setProviderKey } from './operations/provider-key-operations.ts';

/** Handler of the requests below /console/api. */
export interface Console {
  /**
   * Handles a request in the stages match -> authenticate -> parse -> answer -> verify. Returns null for a path that is
   * not below /console/api.
   */
  answer(request: HttpRequest): Promise<HttpReply> | null;
}

/** Creates the handler of the console's operations. Every n-th response is validated against its schema. */
export function createConsole(tools: ConsoleContext, verifyEveryNth: number): Console {
  const routes = consoleRoutes(getLimit(tools.rules, 'consoleCostDays'));
  const verify = createVerify(verifyEveryNth);
  const answer = async (request: HttpRequest): Promise<HttpReply> => {
    const matched = match(routes, request);
    if (isProblem(matched)) return renderProblem(matched, tools.rules);
    const { route, path } = matched;
    request.matched?.({ ...route, version: 'console' });
    const login = await letIn(tools, route, request);
    if (isProblem(login)) return renderProblem(login, tools.rules);
    const parsed = await parse(route, { request, path, rules: tools.rules });
    if (isProblem(parsed)) return renderProblem(parsed, tools.rules);
    const reply = await answerRequest(route, login, { asked: { ...parsed, httpRequest: request }, tools });
    if (isProblem(reply)) return renderProblem(reply, tools.rules);
    verify(route, reply);
    return reply;
  };
  return { answer: (request) => (request.path.startsWith(`${consoleBase}/`) ? answer(request) : null) };
}

type Asked = Parameters<Extract<ConsoleRoute['operation'], { guard: 'open' }>['answer']>[0];

function answerRequest(
  { operation }: ConsoleRoute,
  login: ConsoleSession | null,
  { asked, tools }: { readonly asked: Asked; readonly tools: ConsoleContext },
): Promise<HttpReply | Problem> {
  if (operation.guard === 'open') return operation.answer(asked, tools);
  return login === null ? Promise.resolve(problem('not_logged_in', {})) : operation.answer({ ...asked, login }, tools);
}

/**
 * Authenticates a request before its body is read. Returns the login, or a refusal. Returns null for an `open`
 * operation, which needs no login.
 */
async function letIn(
  tools: ConsoleContext,
  { operation }: ConsoleRoute,
  request: HttpRequest,
): Promise<ConsoleSession | null | Problem> {
  const { guard } = operation;
  const publicUrl = tools.publicUrl();
  const key = request.headers[keyHeader];
  // Pages of other origins cannot send the header of a key, so the origin of a request with a key is not checked.
  if (key !== undefined && (guard === 'project' || guard === 'scheduler'))
    return letKeyIn(await tools.keyring.findPrincipal(key), guard);
  if (!isOwnOrigin(request, publicUrl)) return problem('other_origin', {});
  if (consoleCookies(request, publicUrl).length > 1) return problem('two_console_cookies', {});
  if (guard === 'open') return null;
  const login = await tools.consoleGuard.findLogin(request);
  if (login === null) return problem('not_logged_in', {});
  if (guard === 'operator' && !login.isOperator) return problem('operator_only', {});
  return guard === 'scheduler' && !login.maySchedule ? problem('schedule_right_missing', {}) : login;
}

/** The header of API keys (contract section 5). */
const keyHeader = service.authentication.name.toLowerCase();

/**
 * Returns a login without operator rights for the principal of an API key. Refuses an invalid key, and a key without
 * the right to schedule if the guard is `scheduler`.
 */
function letKeyIn(principal: Principal | null, guard: 'project' | 'scheduler'): ConsoleSession | Problem {
  if (principal === null) return problem('not_authenticated', {});
  const { projectId, keyId, zeroDataRetention, limits, maySchedule, monthlyMicros } = principal;
  if (guard === 'scheduler' && !maySchedule) return problem('schedule_right_missing', {});
  return {
    projectId,
    id: keyId,
    keyId,
    zeroDataRetention,
    limits,
    maySchedule,
    monthlyMicros,
    isOperator: false,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
}

/** A route of the console with its operation. */
interface ConsoleRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: ConsoleOperation;
  readonly validators: OperationValidators;
}

/** Path prefix of the console's operations. */
const consoleBase = '/console/api';

const rows: readonly (readonly [id: string, method: string, path: string, operation: ConsoleOperation])[] = [
  ['getLogin', 'GET', '/login', getLogin],
  ['logIn', 'POST', '/login', logIn],
  ['logOut', 'DELETE', '/login', logOut],
  ['switchProject', 'PUT', '/login/project', switchProject],
  ['listProjects', 'GET', '/projects', listProjects],
  ['changeProject', 'PATCH', '/project', changeProject],
  ['getCosts', 'GET', '/costs', getCosts],
  ['listKeys', 'GET', '/keys', listKeys],
  ['createKey', 'POST', '/keys', createKey],
  ['revokeKey', 'DELETE', '/keys/{key_id}', revokeKey],
  ['listProviderKeys', 'GET', '/provider-keys', listProviderKeys],
  ['setProviderKey', 'PUT', '/provider-keys/{provider}', setProviderKey],
  ['removeProviderKey', 'DELETE', '/provider-keys/{provider}', removeProviderKey],
  ['listIntegrations', 'GET', '/integrations', listIntegrations],
  ['testIntegration', 'POST', '/integrations/{integration}/test', testIntegration],
  ['setIntegrationSecret', 'PUT', '/integrations/{integration}/secrets/{secret}', setIntegrationSecret],
  ['removeIntegrationSecret', 'DELETE', '/integrations/{integration}/secrets/{secret}', removeIntegrationSecret],
  ['listSchedules', 'GET', '/schedules', listSchedules],
  ['createSchedule', 'POST', '/schedules', createSchedule],
  ['confirmSchedule', 'POST', '/schedules/{schedule_id}/confirm', confirmSchedule],
  ['endSchedule', 'DELETE', '/schedules/{schedule_id}', endSchedule],
  ['listConsoleSessions', 'GET', '/sessions', listConsoleSessions],
  ['getConsoleSession', 'GET', '/sessions/{session_id}', getConsoleSession],
  ['listConsoleWorkspaces', 'GET', '/workspaces', listConsoleWorkspaces],
  ['listPictures', 'GET', '/runs/{run_id}/pictures', listPictures],
  ['listRecordings', 'GET', '/sessions/{session_id}/recordings', listRecordings],
  ['getExamination', 'GET', '/examination', getExamination],
  ['startExamination', 'POST', '/examination', startExamination],
  ['stopExamination', 'DELETE', '/examination', stopExamination],
  ['getReport', 'GET', '/examination/report/{ticket}', getReport],
];

/** Returns the routes of the console, each with its operation and validators. */
function consoleRoutes(costDaysMax: number): readonly ConsoleRoute[] {
  const getValidators = createValidators(consoleDocument(costDaysMax));
  return rows.map(([id, method, path, operation]) => ({
    id,
    method,
    path: `${consoleBase}${path}`,
    operation,
    validators: getValidators(method, path),
  }));
}
