import { requirements } from '#generated/requirements.ts';
import type { Generation } from './target.ts';

/** One row of the registry: a requirement, or a law that covers one requirement per row of a table. */
export interface Requirement {
  id: string;
  area: string;
  /** Retired ids that this row replaces. */
  formerly?: readonly string[];
  level: 'MUST' | 'SHOULD' | 'MAY';
  text: string;
  /** Words of the contract that state the rule, `…` between two excerpts. Absent for a rule from another source. */
  quote?: string;
  source: string;
  versions: readonly Generation[];
  observable: string;
  cost: string;
  note?: string;
  /** `full`: beyond the contract. @defaultValue `documented` */
  profile?: 'documented' | 'full';
  /** Reason why the row has no check. */
  excluded?: { readonly reason: string; readonly detail: string };
  /** Laws only: the table whose cells the law covers. */
  each?: string;
  /** For a law: the ids of the requirements that it covers, each with its row of the table. */
  covers?: Readonly<Record<string, string>>;
}

/** Returns a list with the line that quotes the contract; an empty list for a rule from another source. */
export function contractLines({ quote }: Pick<Requirement, 'quote'>): string[] {
  return quote === undefined ? [] : [`Contract: “${quote}”`];
}

/**
 * Returns the source of a row as text for readers. It names the file of each decision, such as `docs/decisions/027-*.md
 * (profiles)`.
 */
export function sourceText({ source }: Pick<Requirement, 'source'>): string {
  return source.replaceAll(/\bdecision (\d+)(?: ([^;]+))?/g, (_all, number: string, topic?: string) => {
    const file = `docs/decisions/${number.padStart(3, '0')}-*.md`;
    return topic === undefined ? file : `${file} (${topic})`;
  });
}

/** Every row of the registry in file order. */
export const registry: readonly Requirement[] = requirements;

const byId = new Map(registry.map((row) => [row.id, row]));

/**
 * Returns the row of an id. For a covered id, returns its law; for a retired id, the row that replaces it. Returns
 * undefined for an unknown id.
 */
export function findRequirement(id: string): Requirement | undefined {
  return (
    byId.get(id) ??
    registry.find((row) => row.covers?.[id] !== undefined) ??
    registry.find((row) => row.formerly?.includes(id))
  );
}
