/** The same thing before and after. */
export interface Pair<Value> {
  readonly old: Value;
  readonly new: Value;
}
