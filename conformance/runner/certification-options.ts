import { type SpendLevel, spendLevels, withinSpend } from '../core/spend.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { RunOptions } from './settings.ts';
import type { Plan } from './plan.ts';
import { sets } from '#generated/requirements.ts';
import { type Requirement, registry } from '../core/requirement.ts';
import type { Generation } from '../core/target.ts';

/**
 * Returns the options of a certification run; unchanged without `certify`. Throws SuiteError `usage` for a conflicting
 * option.
 */
export function certificationOptions(options: RunOptions): RunOptions {
  const { certify } = options;
  if (certify === undefined) return options;
  const contradiction = contradictions.find(({ given }) => given(options));
  if (contradiction !== undefined) {
    throw new SuiteError('usage', {
      found: `--certify together with ${contradiction.flag}`,
      expected: 'the whole frozen set in its own profile, and nothing else',
      next: `leave ${contradiction.flag} out`,
    });
  }
  return { ...options, only: certifiedIds(certify), profile: 'documented', matrix: 'full' };
}

const contradictions: readonly { flag: string; given: (options: RunOptions) => boolean }[] = [
  { flag: '--only', given: ({ only }) => only !== undefined },
  { flag: '--replay', given: ({ replay }) => replay !== undefined },
  { flag: '--shard', given: ({ shard }) => shard !== undefined },
  { flag: '--read-only', given: ({ readOnly }) => readOnly === true },
  { flag: '--profile full', given: ({ profile }) => profile === 'full' },
  { flag: '--profile smoke', given: ({ profile }) => profile === 'smoke' },
];

/**
 * Rejects a certification run whose spend level is too low for its sets, before the run sends a request. `planAt` plans
 * the same run at another spend level. Throws SuiteError `usage` with the required level, and with the numbers of tasks
 * and scenarios of the plan at level `task`.
 */
export function assertSpendFor(options: RunOptions, planAt: (spend: SpendLevel) => Plan): void {
  const { certify, spend = 'none', target } = options;
  if (certify === undefined) return;
  const plan = planAt('task');
  const needs = plan.rows.flatMap((row) => (row.skip === undefined ? (row.check?.needs(target) ?? []) : []));
  const needed = spendLevels.findLast((level) => needs.some((item) => item.spend === level)) ?? 'none';
  if (withinSpend(needed, spend)) return;
  throw new SuiteError('usage', {
    found: `--certify ${certify.join(',')} with --spend ${spend}`,
    expected: `--spend ${needed}: the set needs it; at most ${plan.dispatches} tasks would be dispatched in ${plan.scenarios.length} scenarios`,
    next: `pass --spend ${needed}, and --dry-run to see the plan first`,
  });
}

/** The frozen set of a generation: the scope of its certificate. */
export interface FrozenSet {
  generation: Generation;
  /** Day of the freeze, `YYYY-MM-DD`. */
  frozen: string;
  /** Ids in the order of the set. */
  ids: readonly string[];
}

/** Returns the frozen set of a generation. */
export function frozenSet(generation: Generation): FrozenSet {
  const { frozen, requirements } = sets[generation];
  return { generation, frozen, ids: requirements };
}

/** Returns the distinct ids of several sets: the scope of a certification run. */
export function certifiedIds(generations: readonly Generation[]): string[] {
  return [...new Set(generations.flatMap((generation) => frozenSet(generation).ids))];
}

/** Returns the rows of a set that are not excluded from checking, in the order of the registry. */
export function checkableRows({ ids }: FrozenSet): Requirement[] {
  return registry.filter((row) => ids.includes(row.id) && row.excluded === undefined);
}
