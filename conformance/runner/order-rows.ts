import type { AnyScenario } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';
import type { PlannedRow } from './plan.ts';
import { type SpendLevel, withinSpend } from '../core/spend.ts';

/**
 * Maximum number of typical requests in the first batch; the first step of a batch may exceed it. `budgetGrowth` is the
 * factor by which this maximum grows from one batch to the next.
 */
const budgetMin = 12;
const budgetGrowth = 1.25;

/**
 * Orders the rows of a run that ends at its first failures, as batches that are judged one after another. Rows that
 * judge the most requirements per request come first, and the batches grow. A general fault is thus found before tables
 * are sent cell by cell. All rows of a batch belong to the same phase of {@link groupByPhase}. Rows that move the
 * clock, read whole lists or judge all exchanges come last, as in every run.
 */
export function cheapFirst(rows: readonly PlannedRow[], target: Target): PlannedRow[][] {
  const [free = [], stored = [], others = [], ...rest] = groupByPhase(rows, target);
  const phases = [free, stored, others].map((phase) => new Set(phase.map((row) => createPart(row, target))));
  const driven = new Set<AnyScenario>();
  const batches: PlannedRow[][] = [];
  for (let budget = budgetMin; phases.some((phase) => phase.size > 0); budget *= budgetGrowth) {
    const [best] = phases
      .flatMap((phase) => listSteps(phase, driven).map((step) => ({ phase, step })))
      .toSorted((one, other) => computeWorth(other.step) - computeWorth(one.step));
    if (best !== undefined) batches.push(takeFrom(best.phase, driven, budget));
  }
  return [...batches, ...rest];
}

/** A row, and the values by which {@link cheapFirst} orders it. */
interface Part {
  readonly row: PlannedRow;
  readonly needs: readonly AnyScenario[];
  /** Typical number of requests that the row's check sends itself; 0 if the check needs a scenario. */
  readonly own: number;
  /** Number of requirements that the row judges: for a law the number of requirements that it covers, otherwise 1. */
  readonly weight: number;
}

function createPart(row: PlannedRow, target: Target): Part {
  const { requirement, check } = row;
  const needs = check?.needs(target) ?? [];
  const own = needs.length === 0 ? typicalRequests(requirement.id) : 0;
  return { row, needs, own, weight: Object.keys(requirement.covers ?? {}).length || 1 };
}

/**
 * Rows that can be judged together because they need the same scenarios, and the number of requests that these
 * scenarios still have to send. Or one row whose check sends its own requests.
 */
interface Step {
  readonly parts: readonly Part[];
  readonly cost: number;
}

function listSteps(phase: ReadonlySet<Part>, driven: ReadonlySet<AnyScenario>): Step[] {
  const parts = [...phase].map((part) => ({ part, missing: part.needs.filter((scenario) => !driven.has(scenario)) }));
  return parts.map(({ part, missing }) => {
    const drives = missing.reduce((sum, { name }) => sum + typicalRequests(name), 0);
    if (part.own > 0) return { parts: [part], cost: part.own };
    const fed = parts.filter(
      ({ part: other, missing: its }) => other.own === 0 && its.every((one) => missing.includes(one)),
    );
    return { parts: fed.map(({ part: other }) => other), cost: drives };
  });
}

function computeWorth({ parts, cost }: Step): number {
  return parts.reduce((sum, { weight }) => sum + weight, 0) / Math.max(cost, 1);
}

/**
 * Removes the rows of the next batch from a phase and returns them. Repeatedly chooses the {@link Step} that judges the
 * most requirements per request: at least one, and further ones as long as `budget` requests suffice.
 */
function takeFrom(phase: Set<Part>, driven: Set<AnyScenario>, budget: number): PlannedRow[] {
  const taken: Part[] = [];
  for (let left = budget; phase.size > 0; ) {
    const [best] = listSteps(phase, driven)
      .filter(({ cost }) => taken.length === 0 || cost <= left)
      .toSorted((one, other) => computeWorth(other) - computeWorth(one));
    if (best === undefined) break;
    left -= best.cost;
    for (const part of best.parts) {
      phase.delete(part);
      taken.push(part);
      for (const scenario of part.needs) driven.add(scenario);
    }
  }
  return taken.map(({ row }) => row);
}

/**
 * Typical number of requests of each scenario or check that sends more than `few`, counted against the reference
 * service with sampled matrices. It only orders rows, so it need not be right for a slower deployment, which is polled
 * more often.
 */
const requests: Readonly<Record<string, number>> = {
  'V2-SES-08': 4,
  'V2-VIEW-23': 4,
  'V3-VIEW-14': 4,
  'V4-VIEW-12': 4,
  'V4-SES-08': 4,
  'V2-SES-09': 4,
  'failing-session': 4,
  'proxied-session': 4,
  'INTERFACE-08': 5,
  'SECRET-03': 5,
  'V2-TASK-02': 5,
  'V2-TASK-03': 5,
  'V4-RUN-03': 5,
  'V4-RUN-24': 5,
  'V2-TASK-05': 5,
  'code-session': 5,
  'judged-task': 5,
  'failed-start': 5,
  'secret-session': 5,
  'INTERFACE-02': 6,
  'own-key-refusals': 6,
  'V2-VIEW-22': 6,
  'V3-VIEW-11': 6,
  'V4-VIEW-13': 6,
  'unknown-members-stored': 6,
  'unknown-members': 6,
  'one-shot-session': 6,
  'accepted-tasks': 6,
  'option-tasks': 6,
  'crashed-session': 6,
  'accepted-levels': 7,
  'one-shot-task': 7,
  'AUTH-04': 8,
  'AUTH-01': 8,
  'GEN-03': 8,
  'structured-session': 8,
  'V4-MEMBER-07': 9,
  'interrupted-task': 9,
  'V2-VIEW-24': 11,
  'interrupted-session': 11,
  'clocked-session': 12,
  'INTERFACE-04': 13,
  'foreign-profile': 15,
  'foreign-workspace': 16,
  'task-session-stop': 16,
  'AUTH-03': 20,
  'V3-GET-02': 20,
  'V3-ENUM-03': 20,
  'V3-ENUM-04': 20,
  'V3-ENUM-05': 20,
  'V3-CREATE-04': 20,
  'refusal-side-effects': 22,
  'refused-changes': 23,
  'clocked-addresses': 26,
  'kept-session': 28,
  'session-refusals': 33,
  'run-desk': 34,
  'one-shot-run': 36,
  'V3-ENUM-02': 40,
  'V3-CREATE-17': 40,
  'tenancy-session': 40,
  workspaces: 41,
  'refused-creations': 42,
  'paged-lists': 45,
  'stateful-sessions': 47,
  'INTERFACE-09': 49,
  'stateful-tasks': 49,
  'message-session': 49,
  'INTERFACE-10': 53,
  'task-refusals': 54,
  'run-session': 55,
  'stateful-runs': 56,
  'ERR-05': 57,
  'task-session': 62,
  'run-queue': 63,
  'tenancy-task': 69,
  'INTERFACE-01': 73,
  'task-desk': 76,
  'tenancy-run': 82,
  profiles: 96,
  'workspace-files': 113,
  'paged-storage': 115,
  'run-refusals': 117,
  'two-keys-storage': 121,
};

/** Assumed number of requests of a scenario or check without an entry in `requests`. */
const few = 3;

/** Returns the approximate number of requests of a scenario or check. */
export function typicalRequests(name: string): number {
  return requests[name] ?? few;
}

/** Names of the scenarios and checks with a known number of requests. */
export const namesOfMany: readonly string[] = Object.keys(requests);

/**
 * Groups rows into phases. Rows without cost come first, because refusals need an unchanged list of sessions. Rows that
 * only create storage follow, so that they do not delay rows with deadlines. Rows that move the clock come after all
 * other creations, then rows that read whole lists. Rows over all exchanges come last: first those that run their own
 * scenario, then those that only read the recording.
 */
export function groupByPhase(rows: readonly PlannedRow[], target: Target): PlannedRow[][] {
  const active = rows.filter((row) => row.skip === undefined && row.check !== undefined);
  const late = active.filter((row) => row.check?.phase === 'last');
  const quiet = active.filter((row) => row.check?.phase === 'quiet');
  const early = active.filter((row) => row.check?.phase === 'normal');
  const clocked = early.filter((row) => row.check?.needs(target).some((item) => item.movesClock));
  const within = (spend: SpendLevel): PlannedRow[] =>
    early.filter(
      (row) => !clocked.includes(row) && row.check?.needs(target).every((item) => withinSpend(item.spend, spend)),
    );
  const free = within('none');
  const stored = within('storage').filter((row) => !free.includes(row));
  const others = early.filter((row) => ![...free, ...stored, ...clocked].includes(row));
  const driving = late.filter((row) => (row.check?.needs(target) ?? []).length > 0);
  const reading = late.filter((row) => !driving.includes(row));
  return [free, stored, others, clocked, quiet, driving, reading];
}
