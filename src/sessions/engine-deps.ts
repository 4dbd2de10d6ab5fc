import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import type { Agent } from '#agent/agent.ts';
import type { OutputJudges } from '#agent/output/schema/create-output-judges.ts';
import type { Integrations } from '#agent/integrations/connections.ts';
import type { Skill } from '#agent/skills/skill.ts';
import type { BrowserHost } from '#browsers/host.ts';
import type { Clock } from '#lib/clock.ts';
import type { Owners } from '#cluster/owners.ts';
import type { Mailroom } from '#platform/mail/create-mailroom.ts';
import type { BrowserProfiles } from '#accounts/browser-profiles.ts';
import type { ProviderKeys } from '#accounts/provider-keys.ts';
import type { AccessTokens, Vault } from '#lib/vault.ts';
import type { Recordings } from './recordings/index.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { ActiveMax } from '#accounts/balance.ts';
import type { StorageDeadline } from '#store/storage-deadline.ts';
import type { Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { RunningTasks } from './running-tasks.ts';
import type { Database } from '#store/database.ts';

/** Limits of one service. */
export interface EngineLimits {
  /** Idle time after which a session times out, in milliseconds. */
  readonly inactivityMs: number;
}

/** Dependencies of the session engine. */
export interface EngineDeps {
  readonly db: Database;
  /** Runs background work without the deadline of the request that caused it. */
  readonly storageDeadline: Pick<StorageDeadline, 'forWork'>;
  readonly blobs: Blobs;
  readonly workspaces: Workspaces;
  readonly recordings: Recordings;
  /** Provides mailboxes for sessions; null when mail is disabled. */
  readonly mail: Pick<Mailroom, 'newAddress' | 'findMailbox'> | null;
  /** Encrypts sensitive request data that is stored while it is needed. */
  readonly vault: Vault;
  readonly host: BrowserHost;
  readonly browserProfiles: BrowserProfiles;
  /** Ownership of sessions and browsers among several processes. */
  readonly owners: Owners;
  readonly agent: Agent;
  /** Validates task outputs, per project. */
  readonly judges: Pick<OutputJudges, 'of'>;
  /** Model providers; null without any: then the offline planner executes every task. */
  readonly models: ModelProviders | null;
  readonly providerKeys: ProviderKeys;
  /** Returns the cost of a project's standalone browsers, in micro-dollars. */
  readonly spentElsewhere: (projectId: string) => Promise<number>;
  readonly clock: Clock;
  /**
   * Time in milliseconds for which the service was down at least before this process started. Infinity without a
   * previous process; 0 if several processes share the database.
   */
  readonly outageMs: number;
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** Returns an unpredictable token. */
  readonly newToken: () => string;
  /** Creates access tokens of URLs. */
  readonly tokens: Pick<AccessTokens, 'make'>;
  readonly rules: RuleBook;
  readonly limits: EngineLimits;
  /** Skills of the operator. */
  readonly skills: readonly Skill[];
  /** Integrations of the operator; null without any. */
  readonly integrations: Integrations | null;
  /** Maximum number of active sandboxes of a project without a limit of its own. */
  readonly activeMax: ActiveMax;
  readonly log: Logger;
  /** Records traces of tasks. */
  readonly tracer: Pick<Tracer, 'apart' | 'cause'>;
}

/** Dependencies and the in-memory state of this process. */
export interface EngineState extends EngineDeps {
  readonly sandboxes: Sandboxes;
  readonly tasks: RunningTasks;
  /** Ids of runs that this process has begun and not ended yet; a repeated command does not begin such a run again. */
  readonly begun: Set<string>;
  /** Ids of sessions that this process is starting. */
  readonly starting: Set<string>;
  /**
   * Emits an event after this process has changed the state of a session. The name of the event is the id of the
   * session.
   */
  readonly moves: EventEmitter;
  /** Aborted when the service closes; nothing new starts afterwards. */
  readonly closing: AbortSignal;
  /** Starts work that outlives its request; `close` waits for it. */
  readonly inBackground: (name: string, work: () => Promise<void>) => void;
  /**
   * Dispatches queued messages: of this session if it is idle, and of sessions of its project that waited for a free
   * slot. While this process finishes its tasks, releases an idle session to other workers instead.
   */
  readonly goOn: (sessionId: string) => Promise<void>;
  /** Reschedules the timeout of idle sessions. */
  readonly rearmInactivity: (usedAtMs?: number) => Promise<void>;
}
