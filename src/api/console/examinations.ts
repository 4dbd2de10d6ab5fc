import { type ConsoleExaminationOrder, type ConsoleExamination, examinationState } from '#contract/console-messages.ts';
import type { Logger } from 'pino';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { IssuedKeys } from '#accounts/api-keys.ts';
import type { Clock } from '#lib/clock.ts';
import { newSecret } from './login/login-secrets.ts';

/** A run of the conformance suite to start, with its target and API key. */
export interface ExaminationOrder extends ConsoleExaminationOrder {
  /** URL of the service. */
  readonly address: string;
  readonly apiKey: string;
  readonly timeLimitMs: number;
}

/** Progress of a run of the suite. */
export interface ExaminationCounts {
  readonly judged: number;
  readonly planned: number;
  readonly requests: number;
}

/** Result of a run of the suite. */
export interface Examined {
  readonly violations: number;
  readonly passed: number;
  /** The report as a single HTML page. */
  readonly html: string;
}

/**
 * Runner of the conformance suite against this service, outside of the thread that serves requests. The creator of an
 * examiner closes it.
 */
export interface Examiner {
  /**
   * Runs the suite. Rejects with an Error when the run ends without a report. When the signal aborts, the run cleans up
   * and returns its findings so far.
   */
  examine(
    order: ExaminationOrder,
    listen: { readonly signal: AbortSignal; onCounts(counts: ExaminationCounts): void },
  ): Promise<Examined>;
  /** Stops all runs at once. */
  close(): Promise<void>;
}

/**
 * Runs of the suite that users start from the console. Only one run is in progress at a time. The last run of each
 * project is kept until the process ends, for at most {@link keptMax} projects.
 */
export interface Examinations {
  /** Starts a run; null while any project has a run in progress. */
  start(projectId: string, order: ConsoleExaminationOrder): Promise<ConsoleExamination | null>;
  /** Returns the last run of the project; null without one. */
  last(projectId: string): ConsoleExamination | null;
  /** Returns the HTML report of a kept run by its access ticket; null for an unknown ticket. */
  report(ticket: string): string | null;
  /**
   * Stops the project's run early. The report then says that the run was stopped. Does nothing if no run is in
   * progress.
   */
  stop(projectId: string): void;
  close(): Promise<void>;
}

/** Dependencies of {@link createExaminations}. */
export interface ExaminationDeps {
  readonly examiner: Examiner;
  readonly keys: IssuedKeys;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
  readonly log: Logger;
  /** Returns the URL at which the service listens. */
  listensOn(): string;
}

/** Maximum number of kept runs, because each report takes some 100 KiB of memory. */
const keptMax = 20;

interface Kept {
  readonly projectId: string;
  readonly controller: AbortController;
  shown: ConsoleExamination;
  /** The report page and its access ticket; null until the run has a report. */
  report: { readonly ticket: string; readonly html: string } | null;
}

/**
 * Creates the component that starts runs of the suite and keeps their results. Each run has an API key of its own. The
 * key is revoked at the end of the run, and expires if the process ends first.
 */
export function createExaminations(deps: ExaminationDeps): Examinations {
  // Runs by project, the latest run last.
  const kept = new Map<string, Kept>();
  let running: Promise<void> = Promise.resolve();
  return {
    async start(projectId, order) {
      if ([...kept.values()].some(({ shown }) => shown.state === examinationState.running)) return null;
      const started: Kept = { projectId, controller: new AbortController(), shown: begun(order, deps), report: null };
      kept.delete(projectId);
      kept.set(projectId, started);
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size > keptMax) kept.delete(oldest);
      running = examine(deps, started);
      return started.shown;
    },
    last: (projectId) => kept.get(projectId)?.shown ?? null,
    report: (ticket) => [...kept.values()].find(({ report }) => report?.ticket === ticket)?.report?.html ?? null,
    stop: (projectId) => kept.get(projectId)?.controller.abort(),
    async close() {
      await deps.examiner.close();
      await running;
    },
  };
}

function begun(order: ConsoleExaminationOrder, { clock }: ExaminationDeps): ConsoleExamination {
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
  return { state: examinationState.running, order, startedAt, ...nothing };
}

/** Runs the suite for a kept run, and stores the report or the error in this run. Never rejects. */
async function examine(deps: ExaminationDeps, kept: Kept): Promise<void> {
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

async function withKey(deps: ExaminationDeps, kept: Kept): Promise<Examined> {
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
