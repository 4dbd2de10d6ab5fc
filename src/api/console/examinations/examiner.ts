import type { ConsoleExaminationOrder } from '#contract/console-messages.ts';

/** What the suite is to do: an order, and the way in. */
export interface ExaminationOrder extends ConsoleExaminationOrder {
  /** Where the service listens. */
  readonly address: string;
  readonly apiKey: string;
  readonly timeLimitMs: number;
}

/** How far a run of the suite is. */
export interface ExaminationCounts {
  readonly judged: number;
  readonly planned: number;
  readonly requests: number;
}

/** What a run of the suite has found. */
export interface Examined {
  readonly violations: number;
  readonly passed: number;
  /** The report as one page. */
  readonly html: string;
}

/** Runs the suite against this service, away from the thread that serves. Whoever made it closes it. */
export interface Examiner {
  /**
   * Runs it; rejects with an Error that says why there is no report. When the signal is aborted the run ends early, cleaned up, and answers with
   * what it has found.
   */
  examine(
    order: ExaminationOrder,
    listen: { readonly signal: AbortSignal; onCounts(counts: ExaminationCounts): void },
  ): Promise<Examined>;
  /** Ends what runs at once. */
  close(): Promise<void>;
}
