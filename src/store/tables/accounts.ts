import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** A project; every API key belongs to one. */
export interface ProjectTable {
  id: string;
  name: string;
  /** Credit in micro-dollars; null for the initial credit of spec/rules/pricing.yaml. */
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
  /** Time of expiry; null for a key that does not expire. */
  expires_at: TimeMs | null;
  revoked_at: TimeMs | null;
  /** Whether it may create, confirm and end schedules. */
  may_schedule: Generated<Flag>;
  /** Maximum spend in a calendar month in micro-dollars; null for no maximum. */
  monthly_micros: Generated<number | null>;
}

/** A secret that a project has stored for an integration. */
export interface IntegrationSecretTable {
  project_id: string;
  /** Name of the integration. */
  integration: string;
  name: string;
  /** The value, sealed. */
  ciphertext: string;
  created_at: TimeMs;
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
  /** Reason why no session was created, or null. */
  refusal: string | null;
}

/** One login to the console, by the hash of its cookie; the cookie's value is not stored. */
export interface ConsoleSessionTable {
  /** SHA-256 of that value. */
  hash: string;
  /** SHA-256 of the token that accompanies it in a header; '' for a login without one. */
  csrf_hash: string;
  project_id: string;
  /** Hash of the key that opened the login, which ends with the key; null for a login by link. */
  key_hash: string | null;
  /** Whether credit and limits may be changed. */
  is_operator: Flag;
  created_at: TimeMs;
  expires_at: TimeMs;
}

/** One browser profile of a project. */
export interface ProfileTable {
  id: string;
  project_id: string;
  name: string | null;
  /** The owner's own identifier of a user. */
  user_id: string | null;
  /** Last creation of a session or browser with this profile. */
  last_used_at: TimeMs | null;
  /** Blob with the sealed state of its last browser; null before the first browser has ended. */
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
