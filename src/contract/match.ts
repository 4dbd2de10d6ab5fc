import { type Problem, problem } from './problems.ts';
import type { HttpRequest, Route } from './http-messages.ts';

/** A route with the decoded path parameters of a request. */
export interface Matched<R> {
  readonly route: R;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a request. Returns a 404 problem for an unknown path, and a 405 problem with the allowed methods
 * for a known path with another method.
 */
export function match<R extends Pick<Route, 'method' | 'path'>>(
  routes: readonly R[],
  request: Pick<HttpRequest, 'method' | 'path'>,
): Matched<R> | Problem {
  const given = request.path.split('/');
  const places = placesAt(getTree(routes), given, 0);
  let first: Place | null = null;
  for (const place of places)
    if (routes[place.index]?.method === request.method && (first === null || place.index < first.index)) first = place;
  const route = first === null ? undefined : routes[first.index];
  if (first !== null && route !== undefined) return { route, path: parametersIn(first, given) };
  if (places.length === 0) return problem('route_not_found', {});
  return problem('method_not_allowed', { methods: methodsAt(routes, places) });
}

/**
 * Returns the methods of the routes at the given places, separated by commas, for the header Allow. The methods are in
 * the order of the list of routes.
 */
function methodsAt(routes: readonly Pick<Route, 'method'>[], places: readonly Place[]): string {
  const indexes = places.map(({ index }) => index).toSorted((one, other) => one - other);
  return [...new Set(indexes.flatMap((index) => routes[index]?.method ?? []))].join(', ');
}

/**
 * A node of a prefix tree of routes by path segment. With the tree, a request is compared only with routes that share
 * its segments.
 */
interface Tree {
  readonly known: Map<string, Tree>;
  /** Subtree of a path parameter; null without one. */
  parameter: Tree | null;
  /** Routes whose template ends at this node. */
  readonly places: Place[];
}

/** A route with its position in the list. */
interface Place {
  /** Index of the route in the list. When several routes match a request, the route with the lowest index is used. */
  readonly index: number;
  readonly parameters: readonly { readonly part: number; readonly name: string }[];
}

/** Cache of prefix trees by list of routes. */
const trees = new WeakMap<object, Tree>();

function getTree(routes: readonly Pick<Route, 'path'>[]): Tree {
  const known = trees.get(routes);
  if (known !== undefined) return known;
  const tree = emptyTree();
  for (const [index, { path }] of routes.entries()) plant(tree, path.split('/'), index);
  trees.set(routes, tree);
  return tree;
}

function emptyTree(): Tree {
  return { known: new Map(), parameter: null, places: [] };
}

function plant(tree: Tree, parts: readonly string[], index: number): void {
  const parameters: { part: number; name: string }[] = [];
  let at = tree;
  for (const [part, text] of parts.entries()) {
    const isParameter = text.startsWith('{');
    if (isParameter) parameters.push({ part, name: text.slice(1, -1) });
    const next: Tree = (isParameter ? at.parameter : at.known.get(text)) ?? emptyTree();
    if (isParameter) at.parameter = next;
    else at.known.set(text, next);
    at = next;
  }
  at.places.push({ index, parameters });
}

const nowhere: readonly Place[] = [];

function placesAt(tree: Tree, given: readonly string[], from: number): readonly Place[] {
  if (from === given.length) return tree.places;
  const known = tree.known.get(given[from] ?? '');
  const exact = known === undefined ? nowhere : placesAt(known, given, from + 1);
  const any = tree.parameter === null ? nowhere : placesAt(tree.parameter, given, from + 1);
  if (exact.length === 0) return any;
  return any.length === 0 ? exact : [...exact, ...any];
}

function parametersIn({ parameters }: Place, given: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { part, name } of parameters) {
    const text = given[part] ?? '';
    found[name] = text.includes('%') ? decode(text) : text;
  }
  return found;
}

/**
 * Decodes a path parameter. Returns a text with an invalid percent-encoding unchanged, because the validation of its
 * format then rejects it with a clear message.
 */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
