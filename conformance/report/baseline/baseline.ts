/** A failure that is accepted for a time: of a whole requirement, or of one of its cells. */
export interface BaselineEntry {
  /** Id of a row of the registry. */
  id: string;
  /** Key of one cell in a report; absent for the whole row. */
  cell?: string;
  /** Reason of the acceptance; never empty. */
  reason: string;
  /** URL of the fix or its issue. */
  link?: string;
  /** Last day of the acceptance, `YYYY-MM-DD`, in UTC. */
  expires: string;
}

/** Known failures of one target. */
export interface Baseline {
  /** Name of the baseline file. */
  file: string;
  entries: readonly BaselineEntry[];
}

/** Returns "ID" or "ID [cell]". */
export function entryName({ id, cell }: Pick<BaselineEntry, 'id' | 'cell'>): string {
  return cell === undefined ? id : `${id} [${cell}]`;
}

/** JSON Schema of a baseline file. Unknown members are errors: a typo must not accept or forget a failure. */
export const baselineSchema = {
  type: 'object',
  required: ['entries'],
  additionalProperties: false,
  properties: {
    entries: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'reason', 'expires'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', minLength: 1 },
          cell: { type: 'string', minLength: 1 },
          reason: { type: 'string', minLength: 1 },
          link: { type: 'string', minLength: 1 },
          expires: { type: 'string', format: 'date' },
        },
      },
    },
  },
} as const;
