import type { JsonObject } from '../harness/json.ts';
import type { Target } from '../harness/target/target.ts';

/** The goal of every request that must be refused: cheap, should it be accepted all the same. */
const probeTask = 'Reply with the single word done.';

/** The least that a V2 task needs. */
export function taskProbe(): JsonObject {
  return { task: probeTask };
}

/** The least that a V3 session needs, with the lowest ceiling that the target offers. */
export function sessionProbe(target: Target): JsonObject {
  const member = target.v3?.members.maxCostUsd ?? null;
  return { task: probeTask, ...(member === null ? {} : { [member]: target.limits.ceilingUsd }) };
}

/** The least that a V4 run needs, with the lowest ceiling that the target offers. */
export function runProbe(target: Target): JsonObject {
  const member = target.v4?.maxCostUsd ?? null;
  return { task: probeTask, ...(member === null ? {} : { [member]: target.limits.ceilingUsd }) };
}
