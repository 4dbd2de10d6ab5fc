import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { Worker } from '#contract/lifecycle.ts';
import type { RunState } from '#generated/states.ts';
import type { SessionRow, SessionTable } from './sessions.ts';
import type { Flag, TimeMs } from './values.ts';

/** One task in a session. */
export interface RunTable {
  id: string;
  sessionId: string;
  /** Project of the session, copied so that a list of runs reads no session. */
  projectId: string;
  /** API version of the session, copied from the session. */
  generation: SessionTable['generation'];
  /** Time at which the session was deleted, copied in the same transaction; null unless deleted. */
  deletedAt: TimeMs | null;
  task: string;
  status: RunState;
  reason: string | null;
  /** Model that works on the run; null for runs of an earlier release, which all ran on the model of their session. */
  model: string | null;
  thinkingLevel: string | null;
  inputTokens: Generated<number>;
  outputTokens: Generated<number>;
  /** Cost of the tokens in pico-dollars. */
  llmPicos: Generated<number>;
  /** Traffic of the session's browser that was booked while the run was active, in bytes. */
  proxyBytes: Generated<number>;
  /** Cost limit of this run alone in micro-dollars; null for no limit. */
  maxCostMicros: number | null;
  /** V4 modelParams as the request gave them; null if the request gave none. */
  modelParams: string | null;
  /** Settings of the task, a JSON object; null for none. */
  settings: string | null;
  /** Tracing span that caused the task, as a `traceparent`; null without tracing. */
  traceParent: string | null;
  /** Encrypted secrets of the task; null without secrets, and after the end of the task. */
  secrets: string | null;
  /** Result of the task, or null. */
  output: string | null;
  /** Title from a model. Null without such a title: responses then show the beginning of the task. */
  title: Generated<string | null>;
  /** Judgement of the result, a JSON object; null without a judgement. */
  judgement: Generated<string | null>;
  /** Further tasks that the model suggests, a JSON array of texts; null without any. */
  suggestions: Generated<string | null>;
  /** Whether the goal was achieved; null while the run waits or runs, and when it was stopped. */
  success: Flag | null;
  /** Kind of worker of the run, such as a model or the offline planner; null before it is known. */
  answeredBy: Generated<Worker | null>;
  createdAt: TimeMs;
  startedAt: TimeMs | null;
  endedAt: TimeMs | null;
}

/** One step of the agent in a run. */
export interface StepTable {
  id: Generated<number>;
  sessionId: string;
  runId: string;
  summary: string;
  action: string;
  url: string;
  screenshotKey: string | null;
  inputTokens: number;
  outputTokens: number;
  createdAt: TimeMs;
}

/**
 * A pending model call. The row is deleted when the call has been booked or has failed, or at the next start of the
 * service.
 */
export interface ModelCallTable {
  id: string;
  projectId: string;
  sessionId: string;
  runId: string;
  /** Maximum cost in pico-dollars, reserved for this call. */
  reservedPicos: number;
  createdAt: TimeMs;
}

/** Events of sessions and runs in order. Rows are never changed; only retention and purges delete them. */
export interface EventTable {
  id: Generated<number>;
  sessionId: string;
  runId: string | null;
  type: string;
  data: string;
  createdAt: TimeMs;
}

/** A message of a session's queue, which becomes the next run when the session is free. */
export interface QueueTable {
  id: Generated<number>;
  sessionId: string;
  /** The run that consumed the message, or null. */
  runId: string | null;
  status: 'pending' | 'consumed' | 'cancelled';
  mode: 'queue' | 'interrupt';
  text: string;
  /** The run that the message interrupted, or null. */
  cutRunId: string | null;
  /** Tracing span that caused the task, as a `traceparent`; null without tracing. */
  traceParent: string | null;
  createdAt: TimeMs;
}

/** A run as the database holds it. */
export type RunRow = Selectable<RunTable>;

/** Columns of a new run; columns that can be null or have a default may be absent. */
export type RunInsert = Insertable<RunTable>;

/** Columns of a run that change. */
export type RunUpdate = Updateable<RunTable>;

/** A step of a run as the database holds it. */
export type StepRow = Selectable<StepTable>;

/** An event as the database holds it. */
export type EventRow = Selectable<EventTable>;

/** A run with the session that it works in. */
export interface RunOfSession {
  readonly run: RunRow;
  readonly session: SessionRow;
}
