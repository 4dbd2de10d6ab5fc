import type { Grant } from '#accounts/api-keys.ts';
import type { BrowserBounds } from '#browsers/index.ts';
import type { MailOptions } from '#api/create-backend.ts';
import type { BlobFolder, S3Address } from '#store/storage-addresses.ts';
import type { ProxyFlags } from './read-files.ts';
import type { WorkerRole } from '#store/tables/workers.ts';
import type { TracesOptions } from '#platform/traces/create-traces.ts';

/** Options of `svc serve`. */
export interface ServeOptions extends StorageOptions, ScaleOptions {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly dataFolder: string;
  /** Bucket or folder for screenshots and files; null for the data folder. */
  readonly blobStore: S3Address | BlobFolder | null;
  readonly hosts: 'local' | 'simulated';
  /** File of the model providers; null for providers of the environment. */
  readonly providersFile: string | null;
  /** Folder of the skills of the operator; null without one. */
  readonly skillsFolder: string | null;
  /** File of the integrations; null without one. */
  readonly integrationsFile: string | null;
  /** Whether requests for a model without a provider are refused. */
  readonly requiresProvider: boolean;
  /** Value of `--retention`: days for all kinds of data, or a file with days by kind; null keeps all data. */
  readonly retentionGiven: string | null;
  /** Mail settings; null without mail. */
  readonly mail: MailOptions | null;
  readonly bootstrapKeys: readonly string[];
  readonly control: { readonly host: string; readonly port: number } | null;
  readonly allow: readonly string[];
  /** Number of browsers that are kept ready. */
  readonly warm: number;
  /** Maximum CPU pressure in percent of time; above it browsers start one by one. */
  readonly pressureMax: number;
  /** Resource limits of one browser. */
  readonly bounds: BrowserBounds;
  readonly exits: ProxyFlags;
  /**
   * URL that the service notifies of each new standalone browser, so that a solver can solve CAPTCHAs there; null
   * without a solver.
   */
  readonly captchaSolverUrl: string | null;
  readonly inactivityMs: number;
  readonly activeSessionsMax: SessionsMax;
  readonly connectionsPerAddress: number;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
  /**
   * Default maximum of requests per second, for a project without a limit of its own and for a client address without a
   * valid key. @defaultValue unlimited
   */
  readonly requestsPerSecond?: number;
  /** Settings that each start writes to the projects of the bootstrap keys; absent settings stay unchanged. */
  readonly grant: Grant;
  readonly verifyEveryNth: number;
  /** File of the audit log of DevTools clients; null without one. */
  readonly auditFile: string | null;
  /** DevTools domains that clients may use besides those of the policy. */
  readonly cdpAllow: readonly string[];
  readonly logLevel: string;
  /** Address of the metrics server; null without one. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Trace settings; null without traces. */
  readonly traces: TraceFlags | null;
  /** Maximum time that running tasks get during shutdown, in milliseconds. */
  readonly shutdownMs: number;
}

/** Settings of the database. */
export interface StorageOptions {
  /** Address of a PostgreSQL database; null for a SQLite file in the data folder. */
  readonly databaseAddress: string | null;
  /** Maximum number of connections to PostgreSQL. */
  readonly connectionsMax: number;
}

/** Settings of a process in a service of several processes. */
export interface ScaleOptions {
  /** Role of this process; null for a single process. */
  readonly role: WorkerRole | null;
  /** File of the secret that all processes share; null for the secrets of the data folder. */
  readonly secretFile: string | null;
}

/** Options that the trace flags set. */
export type TraceFlags = Pick<TracesOptions, 'url' | 'name' | 'share'>;

/**
 * Maximum number of active sessions of a project: the same number for all projects, or `by-spend` for the number of the
 * spend tier that the project has reached.
 */
export type SessionsMax = number | 'by-spend';
