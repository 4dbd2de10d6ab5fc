import type { LogLine, LogVerdict } from '#contract/log-messages.ts';
import { isProblem } from '#contract/problems.ts';
import { match } from '#contract/match.ts';
import type { LogExchange } from './exchange.ts';
import { linesBroken, linesKept } from './lines-of.ts';
import type { LogRoute } from './log-routes.ts';
import { type FoundRefusal, refusalsIn } from './refusals-in.ts';

/** What there is to say of a call. */
export interface JudgedCall {
  /** Such as `v4 createRun`; null where no operation takes it. */
  readonly operation: string | null;
  readonly verdict: LogVerdict;
  readonly problems: readonly string[];
  readonly differences: readonly string[];
  readonly lines: readonly LogLine[];
}

/** Judges a call by what went over the network alone: the request by its refusal, the answer by its document, both by the contract. */
export function judgeCall(exchange: LogExchange, routes: readonly LogRoute[]): JudgedCall {
  const { method, path, status } = exchange;
  const found = match(routes, { method: method === 'HEAD' ? 'GET' : method, path });
  const route = isProblem(found) ? null : found.route;
  const refusals = status < 400 ? [] : refusalsIn(exchange.answer);
  const differences = route === null ? [] : differencesOf(exchange, route);
  const lines =
    status < 400 ? (route === null ? [] : linesKept(exchange, route)) : linesBroken(exchange, route, refusals);
  return {
    operation: route === null ? null : `${route.version} ${route.id}`,
    verdict: verdictOf(status, lines, differences),
    problems: refusals.map(({ place, text }) => (place.length === 0 ? text : `${place.join('.')}: ${text}`)),
    differences,
    lines: [...lines, ...rulesOf(refusals)],
  };
}

function verdictOf(status: number, lines: readonly LogLine[], differences: readonly string[]): LogVerdict {
  if (status >= 500 || differences.length > 0) return 'fault';
  if (status < 400) return 'kept';
  return lines.length > 0 ? 'broken' : 'refused';
}

/** The rules of the refusals themselves: what the service says then, and where that comes from. */
function rulesOf(refusals: readonly FoundRefusal[]): LogLine[] {
  const coded = new Map(refusals.flatMap((one) => (one.code === null ? [] : [[one.code, one] as const])));
  return [...coded].map(([id, { text, source }]) => ({ id, level: null, text, source, kept: false }));
}

const shownMax = 10;

/** Where an answer differs from its document; empty where it does not. An internal error is not described there. */
function differencesOf({ method, status, answer }: LogExchange, route: LogRoute): readonly string[] {
  const responses = route.responses();
  if (!responses.statuses.has(status))
    return status >= 500 ? [] : [`The document shows no answer ${status} to ${route.version} ${route.id}`];
  const validate = responses.of(status);
  if (validate === undefined) return answer === undefined ? [] : [`The document shows no body for ${status}`];
  if (method === 'HEAD' || validate(answer)) return [];
  const found = (validate.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath || 'the body'} ${message}`,
  );
  return [...new Set(found)].slice(0, shownMax);
}
