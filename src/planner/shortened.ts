const SUMMARY_PART_MAX = 120;

/** A text on one line of at most 120 characters, for a summary. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SUMMARY_PART_MAX ? line : `${line.slice(0, SUMMARY_PART_MAX - 1)}…`;
}
