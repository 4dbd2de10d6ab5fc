import type { RequestSpec } from '../core/request.ts';
import { isJsonObject } from '../core/json.ts';
import type { Target } from '../core/target.ts';

/** Member that carries the cost ceiling, by operation that dispatches a task; null or absent if none exists. */
const members: Readonly<Record<string, (target: Target) => string | null>> = {
  'v3.createSession': ({ v3 }) => v3?.members.maxCostUsd ?? null,
  'v3.followUpSession': ({ v3 }) => v3?.members.maxCostUsd ?? null,
  'v4.createRun': ({ v4 }) => v4?.maxCostUsd ?? null,
};

/**
 * Returns the member that carries the cost ceiling of a request; undefined if the operation has no such member, as in
 * V2.
 */
function ceilingMember(
  target: Target,
  { generation, operation }: Pick<RequestSpec, 'generation' | 'operation'>,
): string | undefined {
  return members[`${generation}.${operation}`]?.(target) ?? undefined;
}

/**
 * Adds a cost ceiling to a request with a JSON object as body that accepts a ceiling but has none, unless `ceiling` of
 * the request is `own`.
 */
export function withCeiling(spec: RequestSpec, target: Target, ceilingUsd = target.limits.ceilingUsd): RequestSpec {
  const member = ceilingMember(target, spec);
  if (member === undefined || spec.ceiling === 'own' || !isJsonObject(spec.body) || member in spec.body) return spec;
  return { ...spec, body: { ...spec.body, [member]: ceilingUsd } };
}
