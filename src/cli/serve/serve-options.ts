import type { Grant } from '#accounts/api-keys.ts';
import type { BrowserBounds } from '#browsers/index.ts';
import type { MailOptions } from '#api/create-backend.ts';
import type { BlobFolder, S3Address } from '#store/blobs/blobs.ts';
import type { ExitFlags } from './read-files.ts';
import type { WorkerRole } from '../../store/schema.ts';
import type { TracesOptions } from '#platform/traces/create-traces.ts';

/** What `svc serve` is started with. */
export interface ServeOptions extends StorageOptions, ScaleOptions {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly dataFolder: string;
  /** Bucket or folder for pictures and files, or null for the data folder. */
  readonly blobStore: S3Address | BlobFolder | null;
  readonly hosts: 'local' | 'simulated';
  /** File of the model providers, or null for those of the environment. */
  readonly providersFile: string | null;
  /** Days for everything or a file of days by kind, or null to keep everything. */
  readonly retentionGiven: string | null;
  /** Where mail for sessions is taken, or null for no mail. */
  readonly mail: MailOptions | null;
  readonly bootstrapKeys: readonly string[];
  readonly control: { readonly host: string; readonly port: number } | null;
  readonly allow: readonly string[];
  /** Browsers that are kept ready. */
  readonly warm: number;
  /** Percent of the time in which processes may wait for a processor before browsers start one by one. */
  readonly pressureMax: number;
  /** What one browser may take of the machine. */
  readonly bounds: BrowserBounds;
  readonly exits: ExitFlags;
  readonly inactivityMs: number;
  readonly activeSessionsMax: SessionsMax;
  readonly connectionsPerAddress: number;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** Requests that one project may send per second; without it any number. */
  readonly requestsPerSecond?: number;
  /** What the projects of its keys are given. */
  readonly grant: Grant;
  readonly verifyEveryNth: number;
  /** File for the notes of DevTools clients, or null for none. */
  readonly auditFile: string | null;
  /** Domains of DevTools that clients may use besides those of the policy. */
  readonly cdpAllow: readonly string[];
  readonly logLevel: string;
  /** Where Prometheus may ask, or null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where spans are sent to, or null for nowhere. */
  readonly traces: TraceFlags | null;
  /** How long running tasks may go on when the service is to end. */
  readonly shutdownMs: number;
}

/** Where the state is kept. */
export interface StorageOptions {
  /** Address of a PostgreSQL database; null for a SQLite file in the data folder. */
  readonly databaseAddress: string | null;
  /** Connections to it that are open at most. */
  readonly connectionsMax: number;
}

/** Whether there are other processes of the same service. */
export interface ScaleOptions {
  /** What this one does; null where it is the only one. */
  readonly role: WorkerRole | null;
  /** File of the secret that all processes share; null for secrets of the data folder. */
  readonly secretFile: string | null;
}

/** What the flags about traces are read to. */
export type TraceFlags = Pick<TracesOptions, 'url' | 'name' | 'share'>;

/** A bound that is the same for every project, or the tier that each has reached with what it has spent. */
export type SessionsMax = number | 'by-spend';
