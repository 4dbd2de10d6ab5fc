import type { AnyScenario } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';
import { groupByPhase } from './phases.ts';
import type { PlannedRow } from './plan.ts';
import { typicalRequests } from './typical-requests.ts';

/** Number of requests of the first batch, and growth factor of the following batches. */
const budgetMin = 12;
const budgetGrowth = 1.25;

/**
 * Orders the rows of a run that ends at its first failures. Rows that judge most requirements for each request come first, in
 * growing batches, so that a general fault is found before tables are sent cell by cell. A batch has one phase and begins when
 * its predecessor has ended. Rows that move the clock, read whole lists or judge all exchanges still come last.
 */
export function cheapFirst(rows: readonly PlannedRow[], target: Target): PlannedRow[][] {
  const [free = [], stored = [], others = [], ...rest] = groupByPhase(rows, target);
  const phases = [free, stored, others].map((phase) => new Set(phase.map((row) => partOf(row, target))));
  const driven = new Set<AnyScenario>();
  const batches: PlannedRow[][] = [];
  for (let budget = budgetMin; phases.some((phase) => phase.size > 0); budget *= budgetGrowth) {
    const [best] = phases
      .flatMap((phase) => stepsOf(phase, driven).map((step) => ({ phase, step })))
      .toSorted((one, other) => worthOf(other.step) - worthOf(one.step));
    if (best !== undefined) batches.push(takeFrom(best.phase, driven, budget));
  }
  return [...batches, ...rest];
}

/** A row with its costs for the order. */
interface Part {
  readonly row: PlannedRow;
  readonly needs: readonly AnyScenario[];
  /** Number of requests that its check sends itself. */
  readonly own: number;
  /** Number of requirements that it judges: a table counts for several. */
  readonly weight: number;
}

function partOf(row: PlannedRow, target: Target): Part {
  const { requirement, check } = row;
  const needs = check?.needs(target) ?? [];
  const own = needs.length === 0 ? typicalRequests(requirement.id) : 0;
  return { row, needs, own, weight: Object.keys(requirement.covers ?? {}).length || 1 };
}

/** Rows that are judged with the same requests, and the cost of these requests. */
interface Step {
  readonly parts: readonly Part[];
  readonly cost: number;
}

function stepsOf(phase: ReadonlySet<Part>, driven: ReadonlySet<AnyScenario>): Step[] {
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

function worthOf({ parts, cost }: Step): number {
  return parts.reduce((sum, { weight }) => sum + weight, 0) / Math.max(cost, 1);
}

/** Takes the best steps of a phase within the budget, at least one. */
function takeFrom(phase: Set<Part>, driven: Set<AnyScenario>, budget: number): PlannedRow[] {
  const taken: Part[] = [];
  for (let left = budget; phase.size > 0; ) {
    const [best] = stepsOf(phase, driven)
      .filter(({ cost }) => taken.length === 0 || cost <= left)
      .toSorted((one, other) => worthOf(other) - worthOf(one));
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
