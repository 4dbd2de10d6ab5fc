import { compareDecimals, parseDecimal, timesDecimal } from '../core/decimal.ts';
import { type JsonObject, toText } from '../core/json.ts';
import type { Observation } from './observed-session.ts';

/**
 * A cost of at least this multiple of the ceiling is far beyond the ceiling. A lower multiple is no fault, because a
 * service knows the cost of a step only after the step.
 */
const excessMax = 2;

/** Number of steps that may follow the step that has reached the ceiling. */
const lateSteps = 2;

/**
 * Returns an observation that shows a session without follow-ups working beyond its cost ceiling; undefined if no
 * observation shows that.
 */
export function beyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  return workBeyondCeiling(fetches) ?? stepsBeyondCeiling(fetches);
}

/**
 * Returns the first observation of a running session whose cost is far beyond its ceiling, and whose step count is
 * several steps higher than when the ceiling was reached. Returns undefined without such an observation.
 */
export function farBeyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  const isRunning = ({ record }: Observation): boolean => record['status'] === 'running';
  return fetches.find((seen) => isRunning(seen) && isFarBeyond(seen, fetches));
}

/**
 * Returns what {@link farBeyondCeiling} returns, but also considers observations of a session that has ended. Only for
 * sessions without follow-ups.
 */
function workBeyondCeiling(fetches: readonly Observation[]): Observation | undefined {
  return fetches.find((seen) => isFarBeyond(seen, fetches));
}

function isFarBeyond(seen: Observation, fetches: readonly Observation[]): boolean {
  const reached = fetches.find(({ record }) => hasSpentCeiling(record));
  if (reached === undefined || !hasSpentCeiling(seen.record, excessMax)) return false;
  return readSteps(seen) > readSteps(reached) + lateSteps;
}

/** Smallest excess of the model cost over the ceiling that counts as several steps, as a fraction of the ceiling. */
const shareMin = 0.4;

/**
 * The model cost must exceed the ceiling by at least the cost of `excessSteps` steps, and by at least `excessCharges`
 * charges: a service may notice the ceiling a few steps late. A charge is the difference between the costs of two
 * fetches.
 */
const [excessSteps, excessCharges] = [4, 2];

/** Minimum number of charges that must be observed before their costs show what a step costs. */
const chargesMin = 3;

/**
 * Returns the first observation, of a running or ended session, whose model cost exceeds the ceiling by the cost of
 * several steps. A charge is the increase of the model cost between two fetches. A step costs the increase divided by
 * the number of new steps; the highest such cost counts, and the smallest charge. Only for sessions without follow-ups:
 * a follow-up may have a ceiling that the record does not show.
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
 * Returns true if the total cost in a record is at least `times` its ceiling. Returns false if either amount is
 * missing, and for a ceiling of 0.
 */
export function hasSpentCeiling({ maxCostUsd, totalCostUsd }: JsonObject, times = 1): boolean {
  const [ceiling, cost] = [parseDecimal(toText(maxCostUsd)), parseDecimal(toText(totalCostUsd))];
  if (ceiling === undefined || cost === undefined || ceiling.value === 0n) return false;
  return compareDecimals(cost, timesDecimal(ceiling, times)) >= 0;
}
