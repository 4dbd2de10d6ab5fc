import { models } from '#generated/rules.ts';
import { type JsonObject, objectWith } from '../core/json.ts';
import { sample } from '../core/random.ts';
import type { Generation, Target } from '../core/target.ts';
import { levelCells } from './level-cells.ts';
import { refusedParamCells } from './param-cells.ts';

/** Task of every request that must be refused. It is cheap, in case a target accepts the request. */
export const probeTask = 'Reply with the single word done. (svc-check {run})';

/** Returns the smallest body of a V2 task. */
export function taskProbe(): JsonObject {
  return { task: probeTask };
}

/** Returns the smallest body of a V3 session, with the lowest cost ceiling that the target accepts. */
export function sessionProbe(target: Target): JsonObject {
  const member = target.v3?.members.maxCostUsd ?? null;
  return { task: probeTask, ...(member === null ? {} : { [member]: target.limits.ceilingUsd }) };
}

/** Returns the smallest body of a V4 run, with a named model and the lowest cost ceiling that the target accepts. */
export function runProbe(target: Target): JsonObject {
  return { ...runBody(target, probeTask), ...runCeiling(target) };
}

/**
 * Returns a model with a level (V2, V3) or with a `modelParams` value (V4) that the target must refuse. The seed
 * chooses the pair.
 */
export function refusedPair(generation: Generation, seed: number): JsonObject {
  if (generation === 'v4') {
    const [cell] = sample(refusedParamCells(), 1, seed);
    return cell === undefined ? {} : { model: cell.model, modelParams: objectWith(cell.path, cell.value) };
  }
  const refused = levelCells(generation).filter(({ accepted, ownKey }) => !accepted && !ownKey);
  const [cell] = sample(refused, 1, seed);
  return cell === undefined ? {} : { [generation === 'v2' ? 'llm' : 'model']: cell.model, thinkingLevel: cell.level };
}

/**
 * Returns the body of a V4 run with a task. It names the model that the contract recommends, because the contract asks
 * clients to name one.
 */
export function runBody({ v4 }: Target, task: string): JsonObject {
  return v4 === null ? { task } : { task, model: models.v4.recommended.model };
}

/**
 * Returns the member that sets the lowest cost ceiling of a V4 run; an empty object if the target file names no such
 * member.
 */
export function runCeiling({ v4, limits }: Target): JsonObject {
  const member = v4?.maxCostUsd ?? null;
  return member === null ? {} : { [member]: limits.ceilingUsd };
}
