import type { RequestSpec } from '../core/request.ts';
import { isJsonObject } from '../core/json.ts';
import type { Target } from '../core/target.ts';

/**
 * Name of the body member with the cost ceiling, by operation; null if the target has no such member. Other operations
 * accept no ceiling.
 */
const members: Readonly<Record<string, (target: Target) => string | null>> = {
  'v3.createSession': ({ v3 }) => v3?.members.maxCostUsd ?? null,
  'v3.followUpSession': ({ v3 }) => v3?.members.maxCostUsd ?? null,
  'v4.createRun': ({ v4 }) => v4?.maxCostUsd ?? null,
};

/**
 * Returns the name of the request member for the cost ceiling. Undefined if the operation has no such member, as in V2,
 * or if the target does not offer the member.
 */
function ceilingMember(
  target: Target,
  { generation, operation }: Pick<RequestSpec, 'generation' | 'operation'>,
): string | undefined {
  return members[`${generation}.${operation}`]?.(target) ?? undefined;
}

/**
 * Adds the cost ceiling to a request whose operation accepts a ceiling, if its body is a JSON object without a ceiling.
 * Returns any other request, and a request with `ceiling: 'own'`, unchanged.
 */
export function withCeiling(spec: RequestSpec, target: Target, ceilingUsd = target.limits.ceilingUsd): RequestSpec {
  const member = ceilingMember(target, spec);
  if (member === undefined || spec.ceiling === 'own' || !isJsonObject(spec.body) || member in spec.body) return spec;
  return { ...spec, body: { ...spec.body, [member]: ceilingUsd } };
}
