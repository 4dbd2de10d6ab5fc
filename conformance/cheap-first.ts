import type { AnyScenario } from './harness/scenario.ts';
import type { Target } from './harness/target/target.ts';
import { phasesOf } from './phases.ts';
import type { PlannedRow } from './plan.ts';
import { typicalRequests } from './typical-requests.ts';

/** Requests of the first batches; those that follow may have twice as many each time. */
const budgetMin = 8;

/**
 * The rows of a run that ends at the first failures: what takes few requests comes first, in batches that double, so that a fault that
 * shows anywhere is met before the tables are sent cell by cell. A batch is of one phase, and begins when the one before has ended: what
 * phases keep apart stays apart. What moves the clock, reads whole lists or judges all that was seen still comes last.
 */
export function cheapFirst(rows: readonly PlannedRow[], target: Target): PlannedRow[][] {
  const [free = [], stored = [], others = [], ...rest] = phasesOf(rows, target);
  const waiting = [free, stored, others].map((phase) => new Set(phase));
  const driven = new Set<AnyScenario>();
  const batches: PlannedRow[][] = [];
  for (let budget = budgetMin; waiting.some((phase) => phase.size > 0); budget *= 2) {
    for (const phase of waiting) {
      const batch = takeFrom(phase, { target, driven, budget });
      if (batch.length > 0) batches.push(batch);
    }
  }
  return [...batches, ...rest];
}

interface Course {
  readonly target: Target;
  /** Scenarios of earlier batches, and of this one. */
  readonly driven: Set<AnyScenario>;
  readonly budget: number;
}

function takeFrom(phase: Set<PlannedRow>, { target, driven, budget }: Course): PlannedRow[] {
  const costOf = ({ requirement, check }: PlannedRow): number => {
    const needs = check?.needs(target) ?? [];
    const own = needs.length === 0 ? typicalRequests(requirement.id) : 0;
    return needs
      .filter((scenario) => !driven.has(scenario))
      .reduce((sum, { name }) => sum + typicalRequests(name), own);
  };
  const taken: PlannedRow[] = [];
  let left = budget;
  for (const row of [...phase].toSorted((one, other) => costOf(one) - costOf(other))) {
    const cost = costOf(row);
    if (cost > left) continue;
    left -= cost;
    for (const scenario of row.check?.needs(target) ?? []) driven.add(scenario);
    phase.delete(row);
    taken.push(row);
  }
  return taken;
}
