import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { Worker } from '#contract/lifecycle.ts';
import type { BrowserStatus, RunState, SessionStatus } from '#generated/states.ts';

/** A boolean as 0 or 1, because SQLite and the shared migrations have no boolean type. */
export type Flag = 0 | 1;

/** Milliseconds since the Unix epoch. */
export type TimeMs = number;

/** Tables of the service. JSON values are text; times are {@link TimeMs}; money is micro-dollars. */
export interface Tables {
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  provider_keys: { project_id: string; provider: string; ciphertext: string; created_at: TimeMs };
  sessions: SessionTable;
  runs: RunTable;
  steps: StepTable;
  events: EventTable;
  browsers: BrowserTable;
  model_calls: ModelCallTable;
  queue_messages: QueueTable;
  workspaces: WorkspaceTable;
  files: FileTable;
  loose_blobs: { key: string; created_at: TimeMs };
  profiles: ProfileTable;
  profile_leases: ProfileLeaseTable;
  attachments: AttachmentTable;
  downloads: DownloadTable;
  shares: ShareTable;
  pictures: { key: string; session_id: string };
  recordings: RecordingTable;
  mails: MailTable;
  console_sessions: ConsoleSessionTable;
  schedules: ScheduleTable;
  schedule_starts: ScheduleStartTable;
  console_links: { hash: string; project_id: string; created_at: TimeMs; expires_at: TimeMs };
  workers: WorkerTable;
  /** How often something was asked for in a period, by all processes together. */
  request_counts: { name: string; period: number; count: number };
  /** How many things of each kind a project has; see `totals.ts`. */
  totals: { project_id: string; what: string; count: number };
}

/** A project; every API key belongs to one. */
export interface ProjectTable {
  id: string;
  name: string;
  /** Its credit in micro-dollars, or null for the initial credit of spec/rules/pricing.yaml. */
  credit_micros: number | null;
  /** Maximum of living sandboxes, or null for the limit of the service. */
  sessions_max: number | null;
  /** Maximum of requests per second, or null for the rate of the service. */
  requests_per_second: number | null;
  /** Whether its sessions can be purged, and V4 keeps nothing for it. */
  zero_data_retention: Generated<Flag>;
  /** IANA name of the time zone of new schedules. */
  time_zone: Generated<string>;
  created_at: TimeMs;
}

/** One API key, by its hash; the key itself is not stored. */
export interface ApiKeyTable {
  /** SHA-256 of the key. */
  hash: string;
  /** First characters of the key. */
  prefix: string;
  project_id: string;
  name: string | null;
  created_at: TimeMs;
  last_used_at: TimeMs | null;
  /** From then on it is refused; null for never. */
  expires_at: TimeMs | null;
  revoked_at: TimeMs | null;
  /** Whether it may create, confirm and end schedules. */
  may_schedule: Generated<Flag>;
  /** Maximum spend in a calendar month in micro-dollars; null for no maximum. */
  monthly_micros: Generated<number | null>;
}

/** A task that runs at a time, or again and again by cron. */
export interface ScheduleTable {
  id: string;
  project_id: string;
  /** `proposed` by an agent until a person confirms it; `ended` once it will never start again. */
  status: ScheduleStatus;
  task: string;
  /** Five fields of cron; null for a single time. */
  cron: string | null;
  /** IANA name of the time zone of its cron fields. */
  time_zone: string;
  /** Next time; null once it has ended. */
  next_at: TimeMs | null;
  /** Settings of its sessions, a JSON object. */
  settings: string;
  /** Session whose agent proposed it; null for one of a person or a key. */
  proposed_by: string | null;
  created_at: TimeMs;
  ended_at: TimeMs | null;
}

/** State of a schedule. */
export type ScheduleStatus = 'proposed' | 'active' | 'ended';

/** One start of a schedule. Its key, schedule and time, makes a second start of the same time impossible. */
export interface ScheduleStartTable {
  schedule_id: string;
  /** The time that it was due. */
  due_at: TimeMs;
  started_at: TimeMs;
  /** The session of its task; null when it was refused. */
  session_id: string | null;
  /** Why no session was created, or null. */
  refusal: string | null;
}

/** One login to the console, by the hash of its cookie; the cookie's value is not stored. */
export interface ConsoleSessionTable {
  /** SHA-256 of that value. */
  hash: string;
  /** SHA-256 of the token that accompanies it in a header; '' for a login without one. */
  csrf_hash: string;
  project_id: string;
  /** Of the key that opened it, with which it ends; null when a link did. */
  key_hash: string | null;
  /** Whether credit and limits may be changed. */
  is_operator: Flag;
  created_at: TimeMs;
  expires_at: TimeMs;
}

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
  /** Of the token of its live view; see `secrets/access-tokens.ts`. */
  live_hash: string;
  /** Of the token that opens the live view without a right to touch. */
  view_hash: string;
  /** Both tokens, sealed; '' when the session was erased, null until an earlier release's are sealed at the start. */
  sealed_tokens: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
  /** When the session was last used; counts for inactivity. */
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
}

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
  /** Its secrets, sealed; null for none, and once it has ended. */
  secrets: string | null;
  /** Its result, or null. */
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

/** A standalone browser, which runs until it is stopped. */
export interface BrowserTable {
  id: string;
  project_id: string;
  status: BrowserStatus;
  /** Of the token of its DevTools address; see `secrets/access-tokens.ts`. */
  cdp_hash: string;
  /** Of the token of its live view. */
  live_hash: string;
  /** Of the token that opens the live view without a right to touch. */
  view_hash: string;
  /** The tokens, sealed; null until an earlier release's are sealed at the start. */
  sealed_tokens: string | null;
  proxy_country_code: string | null;
  profile_id: string | null;
  /** Length of one prepaid period. */
  timeout_minutes: number;
  screen_width: number | null;
  screen_height: number | null;
  /** A forward proxy of the caller, sealed; null for none, and as soon as the browser has ended. */
  custom_proxy: string | null;
  /** Whether its pages show PDF files, where the Chromium can. */
  shows_pdf: Generated<Flag>;
  /** Whether its clients may resize its window. */
  allows_resizing: Generated<Flag>;
  /** Labels of the caller, a JSON object of texts. */
  metadata: string;
  /** Id of the key that opened it; null for a browser of an earlier release. */
  key_id: Generated<string | null>;
  enable_recording: Generated<Flag>;
  proxy_bytes: number;
  /** Whether its bill is part of its project's total and stands from now on. */
  settled: Generated<Flag>;
  started_at: TimeMs;
  finished_at: TimeMs | null;
  /** Worker of its Chromium; null for none and in a single-process service. */
  owner: string | null;
  /** The public address of the worker that owns it, or owned it last. */
  owner_url: string | null;
}

/** A file that a standalone browser has downloaded; its bytes outlive the browser. */
export interface DownloadTable {
  id: string;
  browser_id: string;
  /** A plain name that no other download of the browser has. */
  path: string;
  size: number;
  blob_key: string;
  finished_at: TimeMs;
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

/** A place for files that outlives the sessions that use it; shared by every generation. */
export interface WorkspaceTable {
  id: string;
  project_id: string;
  name: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
  /** When it was deleted, or null. */
  archived_at: TimeMs | null;
  /** The session or browser that owns it and is removed with it; no operation shows it. Null for all others. */
  owner_id: string | null;
}

/** A file of a workspace, or an upload that may become one; at most one stored file has a path. */
export interface FileTable {
  id: string;
  workspace_id: string;
  path: string;
  content_type: string;
  size: number;
  /** Whether it may replace a stored file of its path. */
  may_override: Flag;
  /** Until when its upload address is good and an upload that began in time may take. */
  open_until: TimeMs;
  /** Where its bytes are, or null before they have come. */
  blob_key: string | null;
  /** When its bytes were complete, or null. */
  stored_at: TimeMs | null;
  /** The run whose agent wrote it or whose browser downloaded it, or null. */
  run_id: string | null;
}

/** An upload that was named for a run, as it was then; it belongs to that run alone. */
export interface AttachmentTable {
  file_id: string;
  /** The run, or null as long as its message waits. */
  run_id: string | null;
  /** The message that named it, or null. */
  message_id: number | null;
  name: string;
  path: string;
  content_type: string;
  size: number;
  /** Whether its bytes have come; also when the file was removed since. */
  uploaded: Flag;
  /** Its place in the request, from 0. */
  position: number;
}

/** A video of a browser; its bytes outlive the browser. */
export interface RecordingTable {
  id: string;
  /** The session or standalone browser that it is of. */
  owner_id: string;
  /** The run that it shows; null for a recording of a browser, whatever runs worked in it. */
  run_id: string | null;
  /** `open` as long as it is recorded or stored, `none` when nothing was to be seen. */
  status: 'open' | 'ready' | 'none';
  /** Whether the next browser of its owner goes on with it. */
  goes_on: Flag;
  /** The process that makes it; null in a single-process service. */
  worker: string | null;
  /** Where its video grows: a folder of that process. */
  folder: string | null;
  /** Where its bytes are; null before they are stored. */
  blob_key: string | null;
  size: Generated<number>;
  duration_ms: Generated<number>;
  created_at: TimeMs;
  ended_at: TimeMs | null;
}

/** A mail that came for a living session; it goes when the session ends. */
export interface MailTable {
  session_id: string;
  /** Its place in the mailbox, from 1. */
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
  /** When a task was given it, or null. */
  read_at: TimeMs | null;
}

/** The public address of a session. */
export interface ShareTable {
  session_id: string;
  /** Of the token of its address; see `secrets/access-tokens.ts`. */
  share_hash: string;
  /** The token, sealed; null until an earlier release's is sealed at the start. */
  sealed_tokens: string | null;
  view_count: number;
  last_viewed_at: TimeMs | null;
  created_at: TimeMs;
}

/** One browser profile of a project. */
export interface ProfileTable {
  id: string;
  project_id: string;
  name: string | null;
  /** The owner's own identifier of a user. */
  user_id: string | null;
  /** When something was last created with it. */
  last_used_at: TimeMs | null;
  /** Where the sealed state of its last browser is, or null before one has ended. */
  state_key: string | null;
  /** Hosts of its cookies, a JSON list; null before a browser has reported them. */
  cookie_domains: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
}

/** A profile lock: only its holder may use the profile. */
export interface ProfileLeaseTable {
  profile_id: string;
  /** The session or browser that has it; each has at most one. */
  holder_id: string;
  taken_at: TimeMs;
}

/** One process of a service of several. Its times are those of the database's clock. */
export interface WorkerTable {
  id: string;
  role: WorkerRole;
  /** Where clients reach it. */
  url: string;
  /** Whether it takes nothing new any more. */
  is_draining: Generated<Flag>;
  heartbeat_at: TimeMs;
  /** When others took it for dead; from then on it owns nothing. */
  buried_at: TimeMs | null;
}

/** Role of a process: it answers requests, runs sandboxes, or both. */
export type WorkerRole = 'api' | 'worker' | 'all';

/** Converts a boolean to its column value. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** A session as the database holds it. */
export type SessionRow = Selectable<SessionTable>;

/** Visibility of sessions: other projects and API versions do not see them. */
export interface Scope {
  readonly projectId: string;
  readonly generation: SessionTable['generation'];
}

/** A run as the database holds it. */
export type RunRow = Selectable<RunTable>;

/** Columns of a new session, run, browser or workspace; columns with a default may be absent. */
export type SessionInsert = Insertable<SessionTable>;
/** See {@link SessionInsert}. */
export type RunInsert = Insertable<RunTable>;
/** See {@link SessionInsert}. */
export type BrowserInsert = Insertable<BrowserTable>;
/** See {@link SessionInsert}. */
export type WorkspaceInsert = Insertable<WorkspaceTable>;

/** Columns of a session that change. */
export type SessionUpdate = Updateable<SessionTable>;
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
