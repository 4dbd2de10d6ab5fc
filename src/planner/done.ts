/** One line about an action that was done, and what it brought to light. */
export interface Done {
  readonly summary: string;
  readonly observed: string;
}
