import { models } from '#generated/rules.ts';
import type { JsonObject } from '../core/json.ts';
import type { Target } from '../core/target.ts';

/** The goal of every request that must be refused: cheap, should it be accepted all the same. */
export const probeTask = 'Reply with the single word done. (svc-check {run})';

/** The least that a V2 task needs. */
export function taskProbe(): JsonObject {
  return { task: probeTask };
}

/** The least that a V3 session needs, with the lowest ceiling that the target offers. */
export function sessionProbe(target: Target): JsonObject {
  const member = target.v3?.members.maxCostUsd ?? null;
  return { task: probeTask, ...(member === null ? {} : { [member]: target.limits.ceilingUsd }) };
}

/** The least that a V4 run needs, with the model named and the lowest ceiling that the target offers. */
export function runProbe(target: Target): JsonObject {
  return { ...runBody(target, probeTask), ...runCeiling(target) };
}

/** A V4 run with a goal; the contract asks callers to name the model, and recommends this one. */
export function runBody({ v4 }: Target, task: string): JsonObject {
  return v4 === null ? { task } : { task, model: models.v4.recommended.model };
}

/** The lowest cost ceiling of a V4 run, where the target names the member. */
export function runCeiling({ v4, limits }: Target): JsonObject {
  const member = v4?.maxCostUsd ?? null;
  return member === null ? {} : { [member]: limits.ceilingUsd };
}
