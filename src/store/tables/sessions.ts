import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { Worker } from '#contract/lifecycle.ts';
import type { SessionStatus } from '#generated/states.ts';
import type { Flag, TimeMs } from './values.ts';

/** One agent sandbox with its current task state; shared by every generation. */
export interface SessionTable {
  id: string;
  project_id: string;
  generation: 'v2' | 'v3' | 'v4';
  status: SessionStatus;
  model: string;
  thinking_level: string | null;
  keep_alive: Flag;
  code_mode: Flag;
  output_schema: string | null;
  enable_recording: Flag;
  use_own_key: Flag;
  profile_id: string | null;
  workspace_id: string | null;
  proxy_country_code: string | null;
  max_cost_micros: number | null;
  inbox_email: string | null;
  screen_width: number | null;
  screen_height: number | null;
  /** A forward proxy of the caller, sealed; null for none, and as soon as the session has ended. */
  custom_proxy: string | null;
  /** Start page of the first tab, or null. */
  start_url: string | null;
  /** Whether tasks of a V2 session share their memory. */
  persist_memory: Generated<Flag>;
  /** Whether it outlives its browser: it stays idle without one, and a further run starts a new one. */
  resumable: Generated<Flag>;
  title: string | null;
  step_count: number;
  last_step_summary: string | null;
  output: string | null;
  is_task_successful: Flag | null;
  /** The kind of worker of its latest task; null before it is known. */
  answered_by: Generated<Worker | null>;
  input_tokens: number;
  output_tokens: number;
  /** Cost of its tokens in pico-dollars, each at the price of its model. */
  llm_picos: Generated<number>;
  proxy_bytes: number;
  /** Time of browsers that have ended. */
  browser_ms: number;
  /** Start of the browser that runs now, or null. */
  browser_since: TimeMs | null;
  screenshot_key: string | null;
  /** Hash of the token of its live view; see `queries/access-tokens.ts`. */
  live_hash: string;
  /** Hash of the token of its view-only live view. */
  view_hash: string;
  /** Both tokens, sealed; '' when the session was erased, null until an earlier release's are sealed at the start. */
  sealed_tokens: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
  /** Last use of the session; the inactivity timeout starts there. */
  active_at: TimeMs;
  deleted_at: TimeMs | null;
  /** `wanted` from the moment that everything about it is to be erased, `done` when nothing but its meters is left. */
  purge_state: 'wanted' | 'done' | null;
  /** Worker of its sandbox; null for none and in a single-process service. */
  owner: string | null;
  /** The public address of the worker that owns it, or owned it last. */
  owner_url: string | null;
  /** Id of the key that opened it; null for a session of an earlier release. */
  key_id: Generated<string | null>;
  /** Names of the integrations that its tasks have used, as a JSON array; null for none. */
  integrations_used: Generated<string | null>;
}

/** A mail that came for a living session; it goes when the session ends. */
export interface MailTable {
  session_id: string;
  /** Position in the mailbox, from 1. */
  number: number;
  sender: string;
  sender_name: string;
  subject: string;
  text: string;
  /** A JSON list with the text and URL of each link. */
  links: string;
  /** A JSON list of names, content types and sizes. */
  attachments: string;
  received_at: TimeMs;
  /** Time at which a task received the mail, or null. */
  read_at: TimeMs | null;
}

/** The public address of a session. */
export interface ShareTable {
  session_id: string;
  /** Hash of the token in its public URL; see `queries/access-tokens.ts`. */
  share_hash: string;
  /** The token, sealed; null until an earlier release's is sealed at the start. */
  sealed_tokens: string | null;
  view_count: number;
  last_viewed_at: TimeMs | null;
  created_at: TimeMs;
}

/** A session as the database holds it. */
export type SessionRow = Selectable<SessionTable>;

/** Visibility of sessions: other projects and API versions do not see them. */
export interface Scope {
  readonly projectId: string;
  readonly generation: SessionTable['generation'];
}

/** Columns of a new session, run, browser or workspace; columns with a default may be absent. */
export type SessionInsert = Insertable<SessionTable>;

/** Columns of a session that change. */
export type SessionUpdate = Updateable<SessionTable>;
