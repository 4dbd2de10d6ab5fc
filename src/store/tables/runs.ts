import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { Worker } from '#contract/lifecycle.ts';
import type { RunState } from '#generated/states.ts';
import type { SessionRow, SessionTable } from './sessions.ts';
import type { Flag, TimeMs } from './values.ts';

/** One task in a session. */
export interface RunTable {
  id: string;
  session_id: string;
  /** Project of its session, copied so that a list of runs reads no session. */
  project_id: string;
  /** Copied from its session. */
  generation: SessionTable['generation'];
  /** Copied from its session in the same transaction. */
  deleted_at: TimeMs | null;
  task: string;
  status: RunState;
  reason: string | null;
  /** Model that works on it; null for runs of an earlier release, which all ran on the model of their session. */
  model: string | null;
  thinking_level: string | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  /** Cost of its tokens in pico-dollars. */
  llm_picos: Generated<number>;
  /** Traffic of the session's browser that was booked while it ran. */
  proxy_bytes: Generated<number>;
  /** Ceiling of this run alone in micro-dollars, or null. */
  max_cost_micros: number | null;
  /** V4 modelParams as the request gave them; null when it gave none. */
  model_params: string | null;
  /** Settings of the task, a JSON object; null for none. */
  settings: string | null;
  /** Span that caused it, as a `traceparent`; null without tracing. */
  trace_parent: string | null;
  /** Secrets of the task, sealed; null without any, and after its end. */
  secrets: string | null;
  /** Result of the task, or null. */
  output: string | null;
  /** Title from a model; null without one, and its task is shortened instead. */
  title: Generated<string | null>;
  /** Judgement of its result, a JSON object; null without one. */
  judgement: Generated<string | null>;
  /** Further tasks that its model suggests, a JSON array of texts; null without any. */
  suggestions: Generated<string | null>;
  /** Whether the goal was achieved; null while it waits or runs, and when it was stopped. */
  success: Flag | null;
  /** The kind of its worker; null before it is known. */
  answered_by: Generated<Worker | null>;
  created_at: TimeMs;
  started_at: TimeMs | null;
  ended_at: TimeMs | null;
}

/** One step of the agent in a run. */
export interface StepTable {
  id: Generated<number>;
  session_id: string;
  run_id: string;
  summary: string;
  action: string;
  url: string;
  screenshot_key: string | null;
  input_tokens: number;
  output_tokens: number;
  created_at: TimeMs;
}

/** A pending call to a model; its booking or the next start deletes it. */
export interface ModelCallTable {
  id: string;
  project_id: string;
  session_id: string;
  run_id: string;
  /** Maximum cost in pico-dollars, reserved for this call. */
  reserved_picos: number;
  created_at: TimeMs;
}

/** Events in order; append-only. */
export interface EventTable {
  id: Generated<number>;
  session_id: string;
  run_id: string | null;
  type: string;
  data: string;
  created_at: TimeMs;
}

/** One message that waits, or has waited, for a session to take it as its next run. */
export interface QueueTable {
  id: Generated<number>;
  session_id: string;
  /** The run that took it, or null. */
  run_id: string | null;
  status: 'pending' | 'consumed' | 'cancelled';
  mode: 'queue' | 'interrupt';
  text: string;
  /** The run that it interrupted, or null. */
  cut_run_id: string | null;
  /** Span that caused it, as a `traceparent`; null without tracing. */
  trace_parent: string | null;
  created_at: TimeMs;
}

/** A run as the database holds it. */
export type RunRow = Selectable<RunTable>;

/** See {@link SessionInsert}. */
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
