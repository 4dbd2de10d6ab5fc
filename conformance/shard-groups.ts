import type { AnyScenario } from './harness/scenario.ts';
import type { Target } from './harness/target/target.ts';
import type { Plan, PlannedRow } from './plan.ts';

/** What one machine has to do as a whole: a scenario costs money, so that no two machines may drive it. */
export interface Group {
  scenarios: AnyScenario[];
  /** Ids of the rows that judge these scenarios; one id of a row that needs none. */
  rows: string[];
  /** Tasks dispatched at most. */
  dispatches: number;
}

/** True for a row that judges whatever was seen and needs nothing of its own: every shard judges what it saw. */
export function judgesAll({ check, skip }: PlannedRow, target: Target): boolean {
  return skip === undefined && check?.phase === 'last' && check.needs(target).length === 0;
}

/** The connected parts of a plan: two scenarios are connected when one row needs both. In plan order. */
export function groupsOf(plan: Plan, target: Target): Group[] {
  const groups = new Map<AnyScenario, Group>(plan.scenarios.map((item) => [item, alone(item, plan)]));
  // There is one clock, and who moves it has it alone.
  join(
    plan.scenarios.filter((item) => item.movesClock === true),
    groups,
  );
  const single: Group[] = [];
  for (const row of plan.rows) {
    if (row.skip !== undefined || row.check === undefined || judgesAll(row, target)) continue;
    const { id } = row.requirement;
    const group = join(row.check.needs(target), groups);
    if (group === undefined) single.push({ scenarios: [], rows: [id], dispatches: 0 });
    else group.rows.push(id);
  }
  return [...new Set(groups.values()), ...single];
}

function alone(item: AnyScenario, { allowances }: Plan): Group {
  const dispatches = item.dispatches === 'cells' ? (allowances.get(item) ?? 0) : item.dispatches;
  return { scenarios: [item], rows: [], dispatches };
}

/** Makes one group of the groups of some scenarios; undefined for no scenario. */
function join(items: readonly AnyScenario[], groups: Map<AnyScenario, Group>): Group | undefined {
  const [first, ...others] = new Set(items.flatMap((item) => groups.get(item) ?? []));
  if (first === undefined) return undefined;
  for (const other of others) {
    first.scenarios.push(...other.scenarios);
    first.rows.push(...other.rows);
    first.dispatches += other.dispatches;
    for (const item of other.scenarios) groups.set(item, first);
  }
  return first;
}
