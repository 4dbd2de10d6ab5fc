import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import type { Agent } from '#agent/agent.ts';
import type { OutputJudges } from '#agent/index.ts';
import type { BrowserHost } from '#browsers/host.ts';
import type { Clock } from '#lib/clock.ts';
import type { Owners } from '#cluster/index.ts';
import type { Mailroom } from '#platform/mail/index.ts';
import type { BrowserProfiles } from '#accounts/profiles.ts';
import type { ProviderKeys } from '#accounts/provider-keys.ts';
import type { AccessTokens, Vault } from '#lib/vault.ts';
import type { Recordings } from './recordings/index.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { ActiveMax } from '#accounts/balance.ts';
import type { Patience } from '#store/storage-deadline.ts';
import type { Workspaces } from '#accounts/workspaces/index.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { TasksUnderWay } from './tasks-under-way.ts';

/** Bounds of one service. */
export interface EngineLimits {
  /** Idle time after which a session is timed out, in milliseconds. */
  readonly inactivityMs: number;
}

/** Everything the engine works with; all that varies is an argument. */
export interface EngineParts {
  readonly db: Database;
  /** What runs in the background has more of it than who asked for it. */
  readonly patience: Pick<Patience, 'forWork'>;
  readonly blobs: Blobs;
  readonly workspaces: Workspaces;
  readonly recordings: Recordings;
  /** Where sessions get their mailboxes; null where there is no mail. */
  readonly mail: Pick<Mailroom, 'newAddress' | 'boxOf'> | null;
  /** Seals what of a request must not lie open in the database, for the time that it is needed. */
  readonly vault: Vault;
  readonly host: BrowserHost;
  readonly browserProfiles: BrowserProfiles;
  /** Who works on what, where there are several processes. */
  readonly owners: Owners;
  readonly agent: Agent;
  /** Judges outputs of tasks, for the project of each. */
  readonly judges: Pick<OutputJudges, 'of'>;
  /** Null where no model can be called: the offline planner works. */
  readonly models: ModelProviders | null;
  readonly providerKeys: ProviderKeys;
  /** What a project has spent on things that are no sessions, in micro-dollars. */
  readonly spentElsewhere: (projectId: string) => Promise<number>;
  readonly clock: Clock;
  /** For how long nobody can have been served before this process started, in milliseconds; infinite where that is not known. */
  readonly outageMs: number;
  /** Makes a new uuid. */
  readonly newId: () => string;
  /** Makes an unguessable text. */
  readonly newToken: () => string;
  /** Makes the unguessable parts of addresses. */
  readonly tokens: Pick<AccessTokens, 'make'>;
  readonly rules: RuleBook;
  readonly limits: EngineLimits;
  /** Sandboxes of a project without a limit of its own that may live at the same time. */
  readonly activeMax: ActiveMax;
  readonly log: Logger;
  /** Draws what tasks do over time. */
  readonly tracer: Pick<Tracer, 'apart' | 'cause'>;
}

/** The parts plus what lives only in this process. */
export interface EngineState extends EngineParts {
  readonly sandboxes: Sandboxes;
  readonly tasks: TasksUnderWay;
  /** The tasks that this process works on, by run id: none is begun again. */
  readonly begun: Set<string>;
  /** The sessions that this process brings to life, by id. */
  readonly starting: Set<string>;
  /** Emits the id of each session whose state this process has changed. */
  readonly moves: EventEmitter;
  /** Aborted when the service ends: nothing new is started from then on. */
  readonly closing: AbortSignal;
  /** Starts work that outlives the request that asked for it; `close` waits for it. */
  readonly inBackground: (name: string, work: () => Promise<void>) => void;
  /** Lets an idle session go on with what waits for it; without effect on any other. */
  readonly goOn: (sessionId: string) => Promise<void>;
  /** Looks again at when the next idle session times out. */
  readonly rearmInactivity: (usedAtMs?: number) => Promise<void>;
}
