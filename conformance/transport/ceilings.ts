import type { RequestSpec } from '../core/request.ts';
import { isJsonObject } from '../core/json.ts';
import type { Target } from '../core/target.ts';

/** Where a request that dispatches a task carries its cost ceiling; null or absent where there is no place for one. */
const members: Readonly<Record<string, (target: Target) => string | null>> = {
  'v3.createSession': ({ v3 }) => v3?.members.maxCostUsd ?? null,
  'v3.followUpSession': ({ v3 }) => v3?.members.maxCostUsd ?? null,
  'v4.createRun': ({ v4 }) => v4?.maxCostUsd ?? null,
};

/** The member that carries the ceiling of a request; undefined where none can be sent. V2 has none. */
function ceilingMember(
  target: Target,
  { generation, operation }: Pick<RequestSpec, 'generation' | 'operation'>,
): string | undefined {
  return members[`${generation}.${operation}`]?.(target) ?? undefined;
}

/** The same request with a cost ceiling, where one can be sent and the request has none of its own. */
export function withCeiling(spec: RequestSpec, target: Target, ceilingUsd = target.limits.ceilingUsd): RequestSpec {
  const member = ceilingMember(target, spec);
  if (member === undefined || spec.ceiling === 'own' || !isJsonObject(spec.body) || member in spec.body) return spec;
  return { ...spec, body: { ...spec.body, [member]: ceilingUsd } };
}
