import type { ConsoleExaminationOrder, ConsoleExamination } from '#contract/console-messages.ts';
import type { Logger } from 'pino';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { IssuedKeys } from '#accounts/api-keys.ts';
import type { Clock } from '#lib/clock.ts';
import { newSecret } from './login/login-secrets.ts';

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

/** The runs of the suite that people start from the console: one at a time, the last one kept as long as the process lives. */
export interface Examinations {
  /** Starts one; null while another runs, whoever's it is. */
  start(projectId: string, order: ConsoleExaminationOrder): Promise<ConsoleExamination | null>;
  /** The last one of a project, or null. */
  last(projectId: string): ConsoleExamination | null;
  /** Returns the report of the last run as a page; null for a ticket that is not its own. */
  report(ticket: string): string | null;
  /** Ends the one of a project early; its report says so. Without effect when none runs. */
  stop(projectId: string): void;
  close(): Promise<void>;
}

/** What they are made of. */
export interface ExaminationParts {
  readonly examiner: Examiner;
  readonly keys: IssuedKeys;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
  readonly log: Logger;
  /** Where the service listens. */
  listensOn(): string;
}

interface Kept {
  readonly projectId: string;
  readonly controller: AbortController;
  shown: ConsoleExamination;
  /** The page of its report with the ticket that opens it, or null. */
  report: { readonly ticket: string; readonly html: string } | null;
}

/** Each run has a key of its own, which is revoked at its end and expires by itself if nobody is left to do that. */
export function createExaminations(deps: ExaminationParts): Examinations {
  let kept: Kept | null = null;
  let running: Promise<void> = Promise.resolve();
  const of = (projectId: string): Kept | null => (kept?.projectId === projectId ? kept : null);
  return {
    async start(projectId, order) {
      if (kept?.shown.state === 'running') return null;
      const started: Kept = { projectId, controller: new AbortController(), shown: begun(order, deps), report: null };
      kept = started;
      running = examine(deps, started);
      return started.shown;
    },
    last: (projectId) => of(projectId)?.shown ?? null,
    report: (ticket) => (kept?.report?.ticket === ticket ? kept.report.html : null),
    stop: (projectId) => of(projectId)?.controller.abort(),
    async close() {
      await deps.examiner.close();
      await running;
    },
  };
}

function begun(order: ConsoleExaminationOrder, { clock }: ExaminationParts): ConsoleExamination {
  const startedAt = new Date(clock.now()).toISOString();
  const nothing = {
    judged: 0,
    planned: 0,
    requests: 0,
    violations: null,
    passed: null,
    reportPath: null,
    reason: null,
  };
  return { state: 'running', order, startedAt, ...nothing };
}

/** Never rejects: what goes wrong is what the console shows. */
async function examine(deps: ExaminationParts, kept: Kept): Promise<void> {
  try {
    const { html, violations, passed } = await withKey(deps, kept);
    const ticket = newSecret();
    kept.report = { ticket, html };
    const reportPath = `console/api/examination/report/${ticket}`;
    kept.shown = { ...kept.shown, state: 'ended', violations, passed, reportPath };
  } catch (error) {
    deps.log.warn({ err: error }, 'a run of the suite from the console ended without a report');
    const reason = error instanceof Error ? error.message : String(error);
    kept.shown = { ...kept.shown, state: 'failed', reason };
  }
}

async function withKey(deps: ExaminationParts, kept: Kept): Promise<Examined> {
  const { keys, clock, examiner, rules } = deps;
  const timeLimitMs = getLimit(rules, 'examinationTime');
  const nowMs = clock.now();
  const made = await keys.issue({
    projectId: kept.projectId,
    name: 'run of the suite',
    nowMs,
    expiresAtMs: nowMs + 2 * timeLimitMs,
  });
  try {
    return await examiner.examine(
      { ...kept.shown.order, address: deps.listensOn(), apiKey: made.key, timeLimitMs },
      {
        signal: kept.controller.signal,
        onCounts: (counts) => {
          kept.shown = { ...kept.shown, ...counts };
        },
      },
    );
  } finally {
    await keys.revoke(made.issued.id, clock.now());
  }
}
