/** One value that a task may type. */
export interface Secret {
  /** What the agent calls it; holds neither `<` nor `>`. */
  readonly name: string;
  /** At least one character. */
  readonly value: string;
  /** Where it may be typed, as entries of `isAllowedAddress`; null for any page. */
  readonly domains: readonly string[] | null;
}
