import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { Worker } from '#contract/lifecycle.ts';
import type { SessionStatus } from '#generated/states.ts';
import type { Flag, TimeMs } from './values.ts';

/** A session: one agent sandbox with its current task state. All API versions share this table. */
export interface SessionTable {
  id: string;
  projectId: string;
  generation: 'v2' | 'v3' | 'v4';
  status: SessionStatus;
  model: string;
  thinkingLevel: string | null;
  keepAlive: Flag;
  codeMode: Flag;
  outputSchema: string | null;
  enableRecording: Flag;
  useOwnKey: Flag;
  profileId: string | null;
  workspaceId: string | null;
  proxyCountryCode: string | null;
  maxCostMicros: number | null;
  inboxEmail: string | null;
  screenWidth: number | null;
  screenHeight: number | null;
  /** Custom proxy of the caller, encrypted; null without one, and after the session has ended. */
  customProxy: string | null;
  /** Start page of the first tab, or null. */
  startUrl: string | null;
  /** Whether tasks of a V2 session share their memory. */
  persistMemory: Generated<Flag>;
  /**
   * Whether the session outlives its browser: it stays idle without a browser, and the next run starts a new browser.
   */
  resumable: Generated<Flag>;
  title: string | null;
  stepCount: number;
  lastStepSummary: string | null;
  output: string | null;
  isTaskSuccessful: Flag | null;
  /** Kind of worker of the latest task, such as a model or the offline planner; null before it is known. */
  answeredBy: Generated<Worker | null>;
  inputTokens: number;
  outputTokens: number;
  /** Cost of all tokens in pico-dollars, each token at the price of its model. */
  llmPicos: Generated<number>;
  proxyBytes: number;
  /** Running time of the browsers that have ended, in milliseconds. */
  browserMs: number;
  /** Start of the browser that runs now, or null. */
  browserSince: TimeMs | null;
  screenshotKey: string | null;
  /** Hash of the token in the URL of the live view; see `queries/access-tokens.ts`. */
  liveHash: string;
  /** Hash of the token in the URL of the view-only live view. */
  viewHash: string;
  /**
   * Both tokens, encrypted; '' for an erased session. Null for a row of an earlier release, until the next start of the
   * service encrypts them.
   */
  sealedTokens: string | null;
  createdAt: TimeMs;
  updatedAt: TimeMs;
  /** Last use of the session; the inactivity timeout starts there. */
  activeAt: TimeMs;
  deletedAt: TimeMs | null;
  /**
   * `wanted` from the request of a purge, `done` when only the meters of the session are left; null without a purge.
   */
  purgeState: 'wanted' | 'done' | null;
  /** Worker that runs the sandbox; null without an owner and in a single-process service. */
  owner: string | null;
  /** Public URL of the current or last owner; null without one. */
  ownerUrl: string | null;
  /**
   * Id of the API key or console login that created the session; null for scheduled sessions and for sessions of an
   * earlier release.
   */
  keyId: Generated<string | null>;
  /** Names of the integrations that tasks of the session have used, as a JSON array; null for none. */
  integrationsUsed: Generated<string | null>;
}

/** A mail that arrived for an active session. It is deleted when the session ends. */
export interface MailTable {
  sessionId: string;
  /** Position in the mailbox, from 1. */
  number: number;
  sender: string;
  senderName: string;
  subject: string;
  text: string;
  /** A JSON list with the text and URL of each link. */
  links: string;
  /** A JSON list with the name, content type and size of each attachment. */
  attachments: string;
  receivedAt: TimeMs;
  /** Time at which a task received the mail, or null. */
  readAt: TimeMs | null;
}

/** The public share of a session. */
export interface ShareTable {
  sessionId: string;
  /** Hash of the token in the public URL of the share; see `queries/access-tokens.ts`. */
  shareHash: string;
  /** The encrypted token; null for a row of an earlier release, until the next start of the service encrypts it. */
  sealedTokens: string | null;
  viewCount: number;
  lastViewedAt: TimeMs | null;
  createdAt: TimeMs;
}

/** A session as the database holds it. */
export type SessionRow = Selectable<SessionTable>;

/** Project and API version whose sessions a caller may see. */
export interface Scope {
  readonly projectId: string;
  readonly generation: SessionTable['generation'];
}

/** Columns of a new session; columns that can be null or have a default may be absent. */
export type SessionInsert = Insertable<SessionTable>;

/** Columns of a session that change. */
export type SessionUpdate = Updateable<SessionTable>;
