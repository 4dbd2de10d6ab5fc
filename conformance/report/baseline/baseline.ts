/** A failure that is known and accepted for a time: of a whole requirement, or of one cell of it. */
export interface BaselineEntry {
  /** Id of a row of the registry. */
  id: string;
  /** Key of one cell as a report names it; the whole row when absent. */
  cell?: string;
  /** Why it is accepted; never empty. */
  reason: string;
  /** Where it is being mended. */
  link?: string;
  /** Last day on which it is accepted, `YYYY-MM-DD`, in UTC. */
  expires: string;
}

/** Known failures of one target. */
export interface Baseline {
  /** Name of the file that holds them. */
  file: string;
  entries: readonly BaselineEntry[];
}

/** "ID" or "ID [cell]". */
export function entryName({ id, cell }: Pick<BaselineEntry, 'id' | 'cell'>): string {
  return cell === undefined ? id : `${id} [${cell}]`;
}
