import type { LogExchange } from './exchange.ts';
import type { LogRoute } from './log-routes.ts';

const shownMax = 10;

/** Where an answer differs from its document; empty where it does not. An internal error is not described there. */
export function differencesOf({ method, status, answer }: LogExchange, route: LogRoute): readonly string[] {
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
