/** A scheduled task as an agent proposes it: either `cron` or `at` is present. */
export interface Proposal {
  readonly task: string;
  /** Cron expression with five fields. */
  readonly cron?: string;
  /** ISO 8601 time. A time without an offset is in the time zone of the project. */
  readonly at?: string;
}

/** Proposals of scheduled tasks, which a person confirms. Present only when the task has `enableScheduledTasks`. */
export interface ScheduleProposals {
  /**
   * Stores a proposal. Returns the time of the first run as ISO 8601 with the time zone, or why the proposal was
   * refused.
   */
  propose(
    proposal: Proposal,
  ): Promise<{ readonly nextAt: string; readonly timeZone: string } | { readonly refusal: string }>;
}
