import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** A project; every API key belongs to one project. */
export interface ProjectTable {
  id: string;
  name: string;
  /**
   * Credit in micro-dollars. Null for no limit: the balance then starts from the initial credit of
   * spec/rules/pricing.yaml.
   */
  creditMicros: number | null;
  /** Maximum number of active sandboxes, or null for the limit of the service. */
  sessionsMax: number | null;
  /** Maximum number of requests per second, or null for the rate of the service. */
  requestsPerSecond: number | null;
  /**
   * Whether zero data retention applies: sessions of the project can be purged, and V4 refuses operations on stored
   * data.
   */
  zeroDataRetention: Generated<Flag>;
  /** IANA name of the time zone of new schedules. */
  timeZone: Generated<string>;
  createdAt: TimeMs;
}

/** One API key, by its hash; the key itself is not stored. */
export interface ApiKeyTable {
  /** SHA-256 of the key. */
  hash: string;
  /** First characters of the key. */
  prefix: string;
  projectId: string;
  name: string | null;
  createdAt: TimeMs;
  lastUsedAt: TimeMs | null;
  /** Time of expiry; null for a key that does not expire. */
  expiresAt: TimeMs | null;
  revokedAt: TimeMs | null;
  /** Whether the key may create, confirm and end schedules. */
  maySchedule: Generated<Flag>;
  /** Maximum spend in a calendar month in micro-dollars; null for no maximum. */
  monthlyMicros: Generated<number | null>;
}

/** A secret that a project has stored for an integration. */
export interface IntegrationSecretTable {
  projectId: string;
  /** Name of the integration. */
  integration: string;
  name: string;
  /** Encrypted value of the secret. */
  ciphertext: string;
  createdAt: TimeMs;
}

/** A scheduled task, which runs once or repeatedly by a cron expression. */
export interface ScheduleTable {
  id: string;
  projectId: string;
  /** `proposed` by an agent until a person confirms the schedule; `ended` once the schedule will never start again. */
  status: ScheduleStatus;
  task: string;
  /** Five fields of cron; null for a single time. */
  cron: string | null;
  /** IANA name of the time zone of the cron fields. */
  timeZone: string;
  /** Next time to run; null once the schedule has ended. */
  nextAt: TimeMs | null;
  /** Settings of the sessions that the schedule starts, a JSON object. */
  settings: string;
  /** Session whose agent proposed the schedule; null for a schedule that a person or a key created. */
  proposedBy: string | null;
  createdAt: TimeMs;
  endedAt: TimeMs | null;
}

/** State of a schedule. */
export type ScheduleStatus = 'proposed' | 'active' | 'ended';

/**
 * One start of a schedule. Its primary key, the schedule and the due time, prevents a second start for the same time.
 */
export interface ScheduleStartTable {
  scheduleId: string;
  /** Time at which the start was due. */
  dueAt: TimeMs;
  startedAt: TimeMs;
  /** The session of the started task; null when the start was refused. */
  sessionId: string | null;
  /** Reason why no session was created, or null. */
  refusal: string | null;
}

/** One login to the console, by the hash of its cookie; the cookie's value is not stored. */
export interface ConsoleSessionTable {
  /** SHA-256 of the cookie's value. */
  hash: string;
  /** SHA-256 of the token that accompanies the cookie in a header; '' for a login without one. */
  csrfHash: string;
  projectId: string;
  /**
   * Hash of the API key that opened the login; null for a login by link. The login ends when the key expires or is
   * revoked.
   */
  keyHash: string | null;
  /** Whether the login may change credit and limits, and switch projects. */
  isOperator: Flag;
  createdAt: TimeMs;
  expiresAt: TimeMs;
}

/** One browser profile of a project. */
export interface ProfileTable {
  id: string;
  projectId: string;
  name: string | null;
  /** The project's own identifier of the user; null without one. */
  userId: string | null;
  /** Last creation of a session or browser with this profile; null before the first. */
  lastUsedAt: TimeMs | null;
  /** Blob with the encrypted state of the last browser with this profile; null before the first browser has ended. */
  stateKey: string | null;
  /** Hosts of the cookies in the profile, a JSON list; null before a browser has reported them. */
  cookieDomains: string | null;
  createdAt: TimeMs;
  updatedAt: TimeMs;
}

/** A profile lock: only its holder may use the profile. */
export interface ProfileLeaseTable {
  profileId: string;
  /** Session or browser that holds the lock; each holds at most one lock. */
  holderId: string;
  takenAt: TimeMs;
}
