/** A second opinion on a task that has ended; the agent's own verdict stays beside it. */
export interface Judgement {
  /** Whether the goal was reached. */
  readonly verdict: boolean;
  /** Why, in words. */
  readonly reasoning: string;
}
