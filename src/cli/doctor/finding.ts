/** One thing that was looked at. */
export interface Finding {
  readonly ok: boolean;
  readonly subject: string;
  /** What was found and, when it is not ok, what to do. */
  readonly text: string;
}
