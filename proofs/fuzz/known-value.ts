import type { JsonValue } from '#conformance/core/json.ts';
import type { Generation } from '#conformance/core/target.ts';
import type { Draw } from '../draw.ts';
import { placeholder } from './fuzzed-request.ts';

/** Source of random decisions, and the generation for which values are drawn. */
export interface ValueParts {
  readonly draw: Draw;
  readonly generation: Generation;
}

/** Placeholder numbers are less than this bound. It exceeds the maximum number of known records of a kind. */
const numbers = 64;

/** Tasks that need neither a model nor pages of other servers. All except `slow 3000` end within seconds. */
const goals = [
  'svc-test: succeed',
  'svc-test: fail',
  'svc-test: structured',
  'svc-test: crash',
  'svc-test: slow 1',
  'svc-test: slow 3000',
  'svc-test: exceed-ceiling',
  'svc-test: nothing of that name',
  'Say done.',
] as const;

/** Request members that contain the id of a record. Each function returns the kind of this record in a generation. */
const ids: Readonly<Record<string, (generation: Generation) => string>> = {
  sessionId: (generation) => `${generation}.session_id`,
  agentSessionId: () => 'v4.session_id',
  profileId: () => 'profile_id',
  workspaceId: () => 'workspace_id',
};

/** Useful values of members for which most random values would be rejected. */
const texts: Readonly<Record<string, readonly JsonValue[]>> = {
  task: goals,
  text: goals,
  fileName: ['a.txt', 'b.txt', 'ü.bin'],
  contentType: ['text/plain', 'application/octet-stream', 'image/png'],
  sizeBytes: [1, 3, 1000],
  size: [1, 3, 1000, 0],
  startUrl: ['https://a.example/', 'data:text/html,<title>x</title>'],
  structuredOutput: ['{"type":"object"}', '{}'],
  outputSchema: [{ type: 'object' }, { type: 'object', properties: { title: { type: 'string' } } }],
  maxCostUsd: ['0.5', '1', 5],
  timeout: [1, 60],
};

/**
 * Returns a useful value for a request member, so that the request reaches further code: a listed value, placeholders
 * of known ids or cursors, or null instead of an id. Returns undefined for any other member.
 */
export function knownValue({ draw, generation }: ValueParts, name: string): JsonValue | undefined {
  const kind = ids[name]?.(generation);
  if (kind !== undefined) return draw.chance(0.5) ? null : placeholder(kind, draw.below(numbers));
  if (name === 'cursor') return placeholder('cursor', draw.below(numbers));
  if (name === 'attachedFileIds') return draw.list([0, 2], () => placeholder('file_id', draw.below(numbers)));
  const listed = texts[name];
  return listed === undefined ? undefined : draw.of(listed);
}

/** Returns a random placeholder for the value of a path parameter. */
export function knownParameter(
  { draw, generation }: ValueParts,
  { name, path }: { readonly name: string; readonly path: string },
): string {
  const isShared = name === 'profile_id' || name === 'workspace_id' || name === 'file_id';
  const kind = name === 'id' || path.startsWith('/files/browsers') ? 'v4.id' : `${generation}.${name}`;
  return placeholder(isShared ? name : kind, draw.below(numbers));
}
