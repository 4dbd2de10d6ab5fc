import type { Generated } from 'kysely';

/** 0 or 1: neither SQLite nor the shared migrations know a boolean. */
export type Flag = 0 | 1;

/** Milliseconds since the Unix epoch. */
export type TimeMs = number;

/** Tables of the service. JSON values are text; times are {@link TimeMs}; money is micro-dollars. */
export interface Tables {
  projects: { id: string; name: string; created_at: TimeMs };
  api_keys: { hash: string; prefix: string; project_id: string; created_at: TimeMs };
  provider_keys: { project_id: string; provider: string; ciphertext: string; created_at: TimeMs };
  sessions: SessionTable;
  runs: RunTable;
  steps: StepTable;
  events: EventTable;
}

/** One agent sandbox with its current task state; shared by every generation. */
export interface SessionTable {
  id: string;
  project_id: string;
  generation: 'v2' | 'v3' | 'v4';
  status: string;
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
  title: string | null;
  step_count: number;
  last_step_summary: string | null;
  output: string | null;
  is_task_successful: Flag | null;
  input_tokens: number;
  output_tokens: number;
  proxy_bytes: number;
  /** Time of browsers that have ended. */
  browser_ms: number;
  /** Start of the browser that runs now, or null. */
  browser_since: TimeMs | null;
  screenshot_key: string | null;
  live_token: string;
  created_at: TimeMs;
  updated_at: TimeMs;
  /** When the session was last used; counts for inactivity. */
  active_at: TimeMs;
  deleted_at: TimeMs | null;
}

/** One task in a session. */
export interface RunTable {
  id: string;
  session_id: string;
  task: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'crashed';
  reason: string | null;
  created_at: TimeMs;
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

/** What happened, in order; append-only. */
export interface EventTable {
  id: Generated<number>;
  session_id: string;
  run_id: string | null;
  type: string;
  data: string;
  created_at: TimeMs;
}
