import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { match } from '#contract/match.ts';
import { parse } from '../http/parse.ts';
import { refuse } from '../http/refuse.ts';
import { createVerify } from '../http/verify.ts';
import type { WireReply, WireRequest } from '#contract/wire.ts';
import { limitOf } from '#contract/limits.ts';
import type { ConsoleTools } from './console-operation.ts';
import { type ConsoleRoute, consoleBase, consoleRoutes } from './console-routes.ts';
import type { ConsoleSession } from './login/console-sessions.ts';
import { consoleCookies } from './login/cookie.ts';
import { isOwnOrigin } from './login/own-origin.ts';

/** What answers below /console/api. */
export interface Console {
  /** One request, one line, as `handle` has it: match -> let in -> parse -> answer -> verify; null for one that is not the console's. */
  answer(request: WireRequest): Promise<WireReply> | null;
}

/** The operations that the documents have not, over these tools; every n-th answer is checked against its schema. */
export function createConsole(tools: ConsoleTools, verifyEveryNth: number): Console {
  const routes = consoleRoutes(limitOf(tools.rules, 'consoleCostDays'));
  const verify = createVerify(verifyEveryNth);
  const answer = async (request: WireRequest): Promise<WireReply> => {
    const matched = match(routes, request);
    if (isProblem(matched)) return refuse(matched, tools.rules);
    const { route, path } = matched;
    request.matched?.({ ...route, version: 'console' });
    const login = await letIn(tools, route, request);
    if (isProblem(login)) return refuse(login, tools.rules);
    const parsed = await parse(route, { request, path, rules: tools.rules });
    if (isProblem(parsed)) return refuse(parsed, tools.rules);
    const reply = await answerOf(route, login, { asked: { ...parsed, wire: request }, tools });
    if (isProblem(reply)) return refuse(reply, tools.rules);
    verify(route, reply);
    return reply;
  };
  return { answer: (request) => (request.path.startsWith(`${consoleBase}/`) ? answer(request) : null) };
}

type Asked = Parameters<Extract<ConsoleRoute['operation'], { guard: 'open' }>['answer']>[0];

function answerOf(
  { operation }: ConsoleRoute,
  login: ConsoleSession | null,
  { asked, tools }: { readonly asked: Asked; readonly tools: ConsoleTools },
): Promise<WireReply | Problem> {
  if (operation.guard === 'open') return operation.answer(asked, tools);
  return login === null ? Promise.resolve(problem('not_logged_in', {})) : operation.answer({ ...asked, login }, tools);
}

/** Who asks, before anything of the request is read; null where everybody may. */
async function letIn(
  tools: ConsoleTools,
  { operation }: ConsoleRoute,
  request: WireRequest,
): Promise<ConsoleSession | null | Problem> {
  const publicUrl = tools.publicUrl();
  if (!isOwnOrigin(request, publicUrl)) return problem('other_origin', {});
  if (consoleCookies(request, publicUrl).length > 1) return problem('two_console_cookies', {});
  if (operation.guard === 'open') return null;
  const login = await tools.door.loginOf(request);
  if (login === null) return problem('not_logged_in', {});
  return operation.guard === 'operator' && !login.isOperator ? problem('operator_only', {}) : login;
}
