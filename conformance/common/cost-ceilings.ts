import { compareDecimals, parseDecimal, timesDecimal } from '../core/decimal.ts';
import { type JsonObject, toText } from '../core/json.ts';
import type { Observation } from './observed-session.ts';

/** Factor by which the cost of a session may exceed its ceiling, because a service knows the cost of a step after it. */
const excessMax = 2;

/** Number of steps that may follow the step that has reached the ceiling. */
const lateSteps = 2;

/** Returns the first observation of a session without follow-ups that shows that it has continued beyond its ceiling. */
export function beyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  return workBeyondCeiling(fetches) ?? stepsBeyondCeiling(fetches);
}

/**
 * Returns the first observation of a running session that continues far beyond its cost ceiling and has made further
 * steps since. Returns undefined without such an observation.
 */
export function farBeyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  const isRunning = ({ record }: Observation): boolean => record['status'] === 'running';
  return fetches.find((seen) => isRunning(seen) && isFarBeyond(seen, fetches));
}

/** As {@link farBeyondCeiling}, for a session without follow-ups: the observation may show its end. */
function workBeyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  return fetches.find((seen) => isFarBeyond(seen, fetches));
}

function isFarBeyond(seen: Observation, fetches: readonly Observation[]): boolean {
  const reached = fetches.find(({ record }) => hasSpentCeiling(record));
  if (reached === undefined || !hasSpentCeiling(seen.record, excessMax)) return false;
  return readSteps(seen) > readSteps(reached) + lateSteps;
}

/** Share of the ceiling by which the cost of the model alone must exceed it to count as several steps. */
const shareMin = 0.4;

/**
 * Numbers of steps and of charges whose cost the excess must reach: a service may notice the ceiling a few steps late.
 */
const [excessSteps, excessCharges] = [4, 2];

/** Number of charges that must be seen to know the cost of a step. */
const chargesMin = 3;

/**
 * Returns the first observation of a session, running or ended, whose model costs as much above the ceiling as several
 * of its steps. The cost of a step is the highest average between two fetches, and a charge is the smallest difference
 * between them. A follow-up may have a ceiling that the record does not show.
 */
function stepsBeyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  const charges: number[] = [];
  let [stepUsd, paidUsd, steps] = [0, 0, 0];
  for (const seen of fetches) {
    const [costUsd, ceilingUsd] = [readUsd(seen, 'llmCostUsd'), readUsd(seen, 'maxCostUsd')];
    if (costUsd > paidUsd) {
      charges.push(costUsd - paidUsd);
      stepUsd = Math.max(stepUsd, (costUsd - paidUsd) / Math.max(1, readSteps(seen) - steps));
      [paidUsd, steps] = [costUsd, readSteps(seen)];
    }
    if (ceilingUsd === 0 || charges.length < chargesMin) continue;
    const least = Math.max(shareMin * ceilingUsd, excessSteps * stepUsd, excessCharges * Math.min(...charges));
    if (costUsd - ceilingUsd >= least) return seen;
  }
  return undefined;
}

function readSteps({ record }: Observation): number {
  return Number(record['stepCount'] ?? 0);
}

/** Returns an amount of a record; 0 without a number. */
function readUsd({ record }: Observation, member: string): number {
  const amount = Number(record[member] ?? 0);
  return Number.isFinite(amount) ? amount : 0;
}

/**
 * Returns true if the total cost in a record is at least its ceiling, multiplied by `times`. Returns false without
 * either amount, and for a ceiling of 0.
 */
export function hasSpentCeiling({ maxCostUsd, totalCostUsd }: JsonObject, times = 1): boolean {
  const [ceiling, cost] = [parseDecimal(toText(maxCostUsd)), parseDecimal(toText(totalCostUsd))];
  if (ceiling === undefined || cost === undefined || ceiling.value === 0n) return false;
  return compareDecimals(cost, timesDecimal(ceiling, times)) >= 0;
}
