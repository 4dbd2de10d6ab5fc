const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/** Time before the next try after so many failures in a row, in ms: it doubles from half a second up to eight. */
export function backOff(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}
