import type { Shard, RunSettings } from './settings.ts';
import type { AnyScenario } from '../core/scenario.ts';
import { scenarios } from '../areas/scenarios.ts';
import { estimateRun } from './estimate.ts';
import { beyondReason, dispatchReason, type Estimate, waitReason } from '../core/report.ts';
import type { Check } from '../core/check.ts';
import { withinSpend } from '../core/spend.ts';
import { type Generation, type Target, offeredGenerations } from '../core/target.ts';
import type { Requirement } from '../core/requirement.ts';

/** Reason why a row is not judged. */
export interface Skip {
  verdict: 'notTestable' | 'notRun';
  reason: string;
}

/** The planned treatment of one row of the registry. */
export interface PlannedRow {
  requirement: Requirement;
  check: Check | undefined;
  skip: Skip | undefined;
}

/** The plan of a run, computed before the first request so that it can be shown. */
export interface Plan {
  rows: PlannedRow[];
  /** Scenarios to run, in order. */
  scenarios: AnyScenario[];
  /** Maximum number of dispatched tasks. */
  dispatches: number;
  /** Maximum number of tasks of each scenario with acceptance cells. */
  taskBudgets: ReadonlyMap<AnyScenario, number>;
  /** The shard of the plan; undefined for an undivided run. */
  shard?: PlanShard;
  estimate: Estimate;
}

/** Input of {@link planRun}. */
export interface PlanInput {
  requirements: readonly Requirement[];
  checks: readonly Check[];
  settings: RunSettings;
}

/**
 * Plans a run. Within the dispatch limit, scenarios with a fixed number of tasks come first. Scenarios that send
 * acceptance cells share the remaining tasks.
 */
export function planRun({ requirements, checks, settings }: PlanInput): Plan {
  const byId = new Map<string, Check>(checks.map((item) => [item.id, item]));
  const rows = requirements.map((requirement) => {
    const found = byId.get(requirement.id);
    return { requirement, check: found, skip: findSkip(requirement, found, settings) };
  });
  const judged = rows.filter((row) => row.skip === undefined);
  const needed = new Set(judged.flatMap((row) => row.check?.needs(settings.target) ?? []));
  const wanted = scenarios.filter((item) => needed.has(item));
  const fixed = fitFixed(
    wanted.toSorted((one, other) => compareWorth(judged, settings, [one, other])),
    settings.maxDispatches,
  );
  const taskBudgets = shareOut(wanted, settings, settings.maxDispatches - fixed.dispatches);
  const dropped = new Set(
    wanted.filter((item) => !fixed.kept.has(item) && item.needsNoTask !== true && (taskBudgets.get(item) ?? 0) === 0),
  );
  for (const row of rows) row.skip ??= dispatchSkip(row, dropped, settings);
  const driven = wanted.filter((item) => !dropped.has(item));
  const dispatches = [...taskBudgets.values()].reduce((sum, count) => sum + count, fixed.dispatches);
  const estimate = estimateRun({ settings, scenarios: driven, dispatches });
  return { rows, scenarios: driven, dispatches, taskBudgets, estimate };
}

function findSkip(requirement: Requirement, found: Check | undefined, settings: RunSettings): Skip | undefined {
  if (requirement.excluded !== undefined) {
    return notTestable(`${requirement.excluded.reason}: ${requirement.excluded.detail}`);
  }
  if (found === undefined) return withoutCheck(requirement, settings);
  const needs = found.needs(settings.target);
  const skip =
    readOnlySkip(found, settings) ??
    otherKeySkip(needs, settings) ??
    missingGeneration(requirement.versions, settings.target) ??
    scenarioSkip(needs, settings);
  return isBeyond(requirement, needs, settings) ? beyondSkip(skip) : skip;
}

function withoutCheck({ profile = 'documented' }: Requirement, settings: RunSettings): Skip {
  if (settings.profile !== 'smoke') return notTestable('no check is written for this requirement');
  return { verdict: 'notRun', reason: `needs --profile ${profile}` };
}

function readOnlySkip(found: Check, { readOnly }: RunSettings): Skip | undefined {
  return readOnly && !found.reads ? { verdict: 'notRun', reason: 'needs more than reading (--read-only)' } : undefined;
}

/**
 * Returns true if the chosen profile does not contain a row. If a second key is given, every profile contains the rows
 * that need it.
 */
function isBeyond({ profile }: Requirement, needs: readonly AnyScenario[], settings: RunSettings): boolean {
  const isAsked = settings.profile === 'full' || (needsOtherKey(needs) && settings.otherApiKey !== undefined);
  return profile === 'full' && !isAsked;
}

/**
 * Returns the reason why a row beyond the profile is not run. The reason names the options that the row needs, and says
 * if the row would not be testable even with these options. `skip` is the reason that would apply with the profile
 * `full`.
 */
function beyondSkip(skip: Skip | undefined): Skip {
  if (skip === undefined) return { verdict: 'notRun', reason: beyondReason };
  const more = skip.verdict === 'notRun' ? ` and ${skip.reason.replace('needs ', '')}` : '; not testable in this run';
  return { verdict: 'notRun', reason: `${beyondReason}${more}` };
}

function needsOtherKey(needs: readonly AnyScenario[]): boolean {
  return needs.some((item) => item.needsOtherKey === true);
}

function otherKeySkip(needs: readonly AnyScenario[], { otherApiKey }: RunSettings): Skip | undefined {
  return needsOtherKey(needs) && otherApiKey === undefined ? notTestable('--other-api-key is not given') : undefined;
}

function missingGeneration(versions: readonly Generation[], target: Target): Skip | undefined {
  const offered = offeredGenerations(target);
  if (versions.some((version) => offered.includes(version))) return undefined;
  return notTestable(`this target does not offer ${versions.map((version) => version.toUpperCase()).join(' or ')}`);
}

function scenarioSkip(needs: readonly AnyScenario[], settings: RunSettings): Skip | undefined {
  const { target, spend } = settings;
  if (target.stateless && needs.some((item) => item.stateful)) {
    return notTestable('this target is stateless: it keeps nothing that was created');
  }
  const unavailable = needs.map((item) => item.unavailable?.(target)).find((reason) => reason !== undefined);
  if (unavailable !== undefined) return notTestable(unavailable);
  const unwaited = waitSkip(needs, settings);
  if (unwaited !== undefined) return unwaited;
  const dear = needs.find((item) => !withinSpend(item.spend, spend));
  return dear === undefined ? undefined : { verdict: 'notRun', reason: `needs --spend ${dear.spend}` };
}

/**
 * Returns the reason why a row whose scenarios wait for minutes is not run. Undefined if no scenario waits, with
 * `--patient`, and if the target file names a control URL, through which the suite moves the clock.
 */
function waitSkip(needs: readonly AnyScenario[], { target, patient }: RunSettings): Skip | undefined {
  if (patient || target.control !== null) return undefined;
  const waits = needs.flatMap((item) => item.waitsMs?.(target) ?? []);
  if (waits.length === 0) return undefined;
  const minutes = Math.ceil(Math.max(...waits) / 60_000);
  const reason = `${waitReason} (a wait of ${minutes} minutes), or a control address in the target file (control)`;
  return { verdict: 'notRun', reason };
}

function notTestable(reason: string): Skip {
  return { verdict: 'notTestable', reason };
}

/**
 * Compares two scenarios that compete for tasks. The scenario comes first that more rows of the contract need for each
 * of its tasks; if these numbers are equal, the numbers of all rows decide.
 */
function compareWorth(
  judged: readonly PlannedRow[],
  { target }: RunSettings,
  [one, other]: readonly [AnyScenario, AnyScenario],
): number {
  const worth = (scenario: AnyScenario, isCounted: (row: PlannedRow) => boolean): number => {
    const rows = judged.filter((row) => isCounted(row) && row.check?.needs(target).includes(scenario));
    return typeof scenario.dispatches === 'number' && scenario.dispatches > 0 ? rows.length / scenario.dispatches : 0;
  };
  const isOfContract = ({ requirement }: PlannedRow): boolean => requirement.profile !== 'full';
  return worth(other, isOfContract) - worth(one, isOfContract) || worth(other, () => true) - worth(one, () => true);
}

function fitFixed(wanted: readonly AnyScenario[], limit: number): { kept: Set<AnyScenario>; dispatches: number } {
  const kept = new Set<AnyScenario>();
  let dispatches = 0;
  for (const item of wanted) {
    if (item.dispatches === 'cells' || dispatches + item.dispatches > limit) continue;
    kept.add(item);
    dispatches += item.dispatches;
  }
  return { kept, dispatches };
}

// Divides the remaining tasks in proportion to the weights of the tables, in whole cells, the smallest table first.
function shareOut(
  wanted: readonly AnyScenario[],
  settings: RunSettings,
  remaining: number,
): ReadonlyMap<AnyScenario, number> {
  const tables = wanted
    .filter((item) => item.dispatches === 'cells')
    .map((item) => ({ item, own: countCells(item, settings), weight: item.weight ?? countCells(item, settings) }))
    .filter(({ own }) => own > 0)
    .toSorted((left, right) => left.own - right.own);
  let weights = tables.reduce((sum, { weight }) => sum + weight, 0);
  let left = Math.max(0, remaining);
  const shares = new Map<AnyScenario, number>();
  for (const { item, own, weight } of tables) {
    const share = Math.min(own, Number.isFinite(left) ? Math.ceil((left * weight) / weights) : own);
    shares.set(item, share);
    weights -= weight;
    left -= share;
  }
  return shares;
}

function countCells({ cells = 0 }: AnyScenario, settings: RunSettings): number {
  return typeof cells === 'number' ? cells : cells(settings);
}

function dispatchSkip(row: PlannedRow, dropped: ReadonlySet<AnyScenario>, settings: RunSettings): Skip | undefined {
  const missing = row.check?.needs(settings.target).find((item) => dropped.has(item));
  if (missing === undefined) return undefined;
  if (missing.dispatches === 'cells' && countCells(missing, settings) === 0)
    return { verdict: 'notRun', reason: 'needs --stateful-runs of 1 or more' };
  return {
    verdict: 'notRun',
    reason: `the limit of ${settings.maxDispatches} ${dispatchReason} for ${missing.name}`,
  };
}

/** One shard of a plan. */
export interface PlanShard extends Shard {
  /** Fingerprint of the plan, equal for all its shards and different for any other plan. */
  plan: string;
  /** Ids of the rows of this shard. */
  rows: readonly string[];
  /** Scenarios that other shards execute, each with the number of its shard. */
  foreign: ReadonlyMap<AnyScenario, number>;
}
