import { sets } from '#generated/requirements.ts';
import { type Requirement, registry } from '../core/requirement.ts';
import type { Generation } from '../core/target.ts';

/** The frozen set of a generation: what a certificate for it stands for. */
export interface FrozenSet {
  generation: Generation;
  /** Day on which it was frozen, `YYYY-MM-DD`. */
  frozen: string;
  /** Ids in the order of the set. */
  ids: readonly string[];
}

/** The frozen set of a generation. */
export function frozenSet(generation: Generation): FrozenSet {
  const { frozen, requirements } = sets[generation];
  return { generation, frozen, ids: requirements };
}

/** Every id of several sets, each once: the scope of a run that is to certify them. */
export function certifiedIds(generations: readonly Generation[]): string[] {
  return [...new Set(generations.flatMap((generation) => frozenSet(generation).ids))];
}

/** The rows of a set that can be checked. */
export function checkableRows({ ids }: FrozenSet): Requirement[] {
  return registry.filter((row) => ids.includes(row.id) && row.excluded === undefined);
}
