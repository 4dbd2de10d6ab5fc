import { sets } from '#generated/requirements.ts';
import { type Requirement, registry } from '../core/requirement.ts';
import type { Generation } from '../core/target.ts';

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

/** Returns the rows of a set that have a check. */
export function checkableRows({ ids }: FrozenSet): Requirement[] {
  return registry.filter((row) => ids.includes(row.id) && row.excluded === undefined);
}
