/** One line of the table: a property of the code base, its value now and the value to reach. */
export interface MeasureRow {
  /** Key of the row in docs/evidence/measure.jsonl; never changed, so that rows of different commits can be compared. */
  readonly id: string;
  readonly label: string;
  /** The values now: one number for most rows, several where the row has parts. */
  readonly now: readonly number[];
  /** The target as it is printed, such as `<= 80`. */
  readonly target: string;
  readonly isMet: boolean;
}

/** Makes a row whose every value has to be at most `limit`. */
export function rowAtMost(row: Omit<MeasureRow, 'target' | 'isMet'>, limit: number): MeasureRow {
  return { ...row, target: limit === 0 ? '0' : `<= ${limit}`, isMet: row.now.every((value) => value <= limit) };
}
