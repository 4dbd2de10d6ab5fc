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
  request: Pick<WireRequest, 'method' | 'path'>,
): Matched<R> | Problem {
  const given = request.path.split('/');
  let isKnown = false;
  for (const route of routes) {
    const wanted = partsOf(route);
    if (!isAt(wanted, given)) continue;
    if (route.method === request.method) return { route, path: parametersIn(wanted, given) };
    isKnown = true;
  }
  return isKnown ? problem('method_not_allowed', {}) : problem('route_not_found', {});
}

/** The parts of each route's template, which every request is compared with: taken apart once. */
const taken = new WeakMap<object, readonly string[]>();

function partsOf(route: Pick<Route, 'path'>): readonly string[] {
  const known = taken.get(route);
  if (known !== undefined) return known;
  const parts = route.path.split('/');
  taken.set(route, parts);
  return parts;
}

function isAt(wanted: readonly string[], given: readonly string[]): boolean {
  if (wanted.length !== given.length) return false;
  // From the end: what stands at the beginning of all of them tells them apart last.
  for (let index = wanted.length - 1; index >= 0; index -= 1) {
    const part = wanted[index] ?? '';
    if (part !== given[index] && !part.startsWith('{')) return false;
  }
  return true;
}

function parametersIn(wanted: readonly string[], given: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries())
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = decode(given[index] ?? '');
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
