import { requirements } from '#generated/requirements.ts';
import type { Generation } from './target.ts';

/** One row of the registry: a requirement, or a law that stands for one requirement per row of a table. */
export interface Requirement {
  id: string;
  area: string;
  /** Retired ids whose rows this one has taken over. */
  formerly?: readonly string[];
  level: 'MUST' | 'SHOULD' | 'MAY';
  text: string;
  source: string;
  versions: readonly Generation[];
  observable: string;
  cost: string;
  note?: string;
  /** `full`: goes beyond the contract. @defaultValue `documented` */
  profile?: 'documented' | 'full';
  /** Why nobody checks it. */
  excluded?: { readonly reason: string; readonly detail: string };
  /** Laws only: the table whose cells the law speaks about. */
  each?: string;
  /** Laws only: covered requirement id -> the row of the table. */
  covers?: Readonly<Record<string, string>>;
}

/** Every row of the registry in file order. */
export const registry: readonly Requirement[] = requirements;

const byId = new Map(registry.map((row) => [row.id, row]));

/** The row of an id; a covered id gives its law, a retired one a row that has taken it over. Undefined when nobody knows the id. */
export function findRequirement(id: string): Requirement | undefined {
  return (
    byId.get(id) ??
    registry.find((row) => row.covers?.[id] !== undefined) ??
    registry.find((row) => row.formerly?.includes(id))
  );
}
