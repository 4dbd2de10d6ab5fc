import { type Problem, problem } from '#domain/problems.ts';
import type { WireRequest } from './wire.ts';

/** One documented operation with its full path, for example `/api/v3/sessions/{session_id}`. */
export interface Route {
  readonly id: string;
  readonly version: 'v2' | 'v3' | 'v4';
  /** Upper case. */
  readonly method: string;
  readonly path: string;
}

/** A route as it is named where requests are counted and traced: an operation of a generation, or one of the console. */
export interface NamedRoute extends Omit<Route, 'version'> {
  readonly version: Route['version'] | 'console';
}

/** A route and the path parameters that the request's path carries, decoded. */
export interface Matched<R> {
  readonly route: R;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the operation of a request, else 404 for an unknown path and 405 for a known path with another method. */
export function match<R extends Pick<Route, 'method' | 'path'>>(
  routes: readonly R[],
  request: WireRequest,
): Matched<R> | Problem {
  const samePath = routes.flatMap((route) => {
    const path = parametersOf(route.path, request.path);
    return path === null ? [] : [{ route, path }];
  });
  if (samePath.length === 0) return problem('route_not_found', {});
  return samePath.find(({ route }) => route.method === request.method) ?? problem('method_not_allowed', {});
}

function parametersOf(template: string, path: string): Record<string, string> | null {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = decode(value);
    else if (part !== value) return null;
  }
  return parameters;
}

/** A parameter that cannot be decoded is handed on as it came: the document's format refuses it with a clear message. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
