import type { Shard, RunSettings } from './settings.ts';
import { createHash } from 'node:crypto';
import { estimateRun } from './estimate.ts';
import type { AnyScenario } from '../core/scenario.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { Plan, PlannedRow } from './plan.ts';
import type { Target } from '../core/target.ts';

/** Throws SuiteError `usage` for a shard that does not exist. */
export function assertShard({ index, of }: Shard): void {
  if (Number.isSafeInteger(index) && Number.isSafeInteger(of) && index >= 1 && index <= of) return;
  throw new SuiteError('usage', {
    found: `shard ${index}/${of}`,
    expected: 'two whole numbers i/n with 1 <= i <= n',
    next: 'number the shards from 1',
  });
}

/**
 * Returns the plan of one shard. It keeps the task budgets of the whole plan, so that all shards together dispatch as
 * many tasks as an undivided run. Rows that another shard judges have the verdict notRun. Every shard judges the rows
 * over all exchanges.
 */
export function planShard(plan: Plan, settings: RunSettings, { index, of }: Shard): Plan {
  const shards = deal(groupRows(plan, settings.target), of);
  const mine = shards[index - 1] ?? [];
  const home = new Map(shards.flatMap((groups, at) => groups.flatMap(({ rows }) => rows.map((id) => [id, at + 1]))));
  const own = new Set(mine.flatMap(({ rows }) => rows));
  const everywhere = new Set(plan.rows.filter((row) => judgesAll(row, settings.target)).map(getId));
  const foreign = new Map<AnyScenario, number>();
  for (const [at, groups] of shards.entries()) {
    if (at !== index - 1) for (const item of groups.flatMap(({ scenarios }) => scenarios)) foreign.set(item, at + 1);
  }
  const scenarios = plan.scenarios.filter((item) => !foreign.has(item));
  const dispatches = scenarios.reduce((sum, item) => sum + countDispatches(item, plan), 0);
  return {
    ...plan,
    rows: plan.rows.map((row) => {
      if (row.skip !== undefined || own.has(getId(row)) || row.check?.phase === 'last') return row;
      return { ...row, skip: { verdict: 'notRun', reason: `shard ${home.get(getId(row))} of ${of} judges it` } };
    }),
    scenarios,
    dispatches,
    estimate: estimateRun({ settings, scenarios, dispatches }),
    shard: { index, of, plan: fingerprint(plan, settings), rows: [...own, ...everywhere], foreign },
  };
}

/** Returns the maximum number of tasks that a scenario may dispatch within a plan. */
function countDispatches(item: AnyScenario, plan: Plan): number {
  return item.dispatches === 'cells' ? (plan.taskBudgets.get(item) ?? 0) : item.dispatches;
}

function getId({ requirement }: PlannedRow): string {
  return requirement.id;
}

// Assigns groups to shards: the most expensive first, each to the shard with the least work. Equal groups keep the plan
// order, so that every machine computes the same result.
function deal(groups: readonly Group[], of: number): Group[][] {
  const shards = Array.from({ length: of }, (): { groups: Group[]; load: number[] } => ({
    groups: [],
    load: [0, 0, 0],
  }));
  const heaviestFirst = groups.toSorted((left, right) => compare(computeWeight(right), computeWeight(left)));
  for (const group of heaviestFirst) {
    const weight = computeWeight(group);
    // A group without scenarios fits every shard.
    const from = group.scenarios.length === 0 ? 2 : 0;
    const [least] = shards.toSorted((left, right) => compare(left.load.slice(from), right.load.slice(from)));
    if (least === undefined) continue;
    least.groups.push(group);
    least.load = least.load.map((load, at) => load + (weight[at] ?? 0));
  }
  return shards.map((shard) => shard.groups);
}

/** Returns the weight of a group: its numbers of tasks, scenarios and rows. Weights are compared in this order. */
function computeWeight({ dispatches, scenarios, rows }: Group): number[] {
  return [dispatches, scenarios.length, rows.length];
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [at, value] of left.entries()) {
    const difference = value - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

// Covers the options that affect which rows are judged; speed and keys may differ between shards.
function fingerprint(plan: Plan, { target, seed, profile, spend, matrix, only, propertyRuns }: RunSettings): string {
  const rows = plan.rows.map((row) => [getId(row), row.skip ?? null]);
  const scenarios = plan.scenarios.map((item) => [item.name, countDispatches(item, plan)]);
  const text = JSON.stringify([target, seed, profile, spend, matrix, only ?? null, propertyRuns, rows, scenarios]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Scenarios and rows that must run in the same shard, because a scenario costs money and must run only once. */
interface Group {
  scenarios: AnyScenario[];
  /** Ids of the rows that need these scenarios. For a group without scenarios, the id of its only row. */
  rows: string[];
  /** Maximum number of dispatched tasks. */
  dispatches: number;
}

/**
 * Returns true for a row over all exchanges that needs no scenario. Every shard judges such a row by its own exchanges.
 */
function judgesAll({ check, skip }: PlannedRow, target: Target): boolean {
  return skip === undefined && check?.phase === 'last' && check.needs(target).length === 0;
}

/**
 * Returns the groups of a plan, in plan order. All scenarios that a row needs are in the same group, as are all
 * scenarios that move the clock. A row without scenarios has a separate group.
 */
function groupRows(plan: Plan, target: Target): Group[] {
  const groups = new Map<AnyScenario, Group>(plan.scenarios.map((item) => [item, alone(item, plan)]));
  // The target has only one clock: scenarios that move it stay together.
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

function alone(item: AnyScenario, plan: Plan): Group {
  return { scenarios: [item], rows: [], dispatches: countDispatches(item, plan) };
}

/**
 * Merges the groups that contain these scenarios into one, and returns it. Returns undefined if no group contains one
 * of them.
 */
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
