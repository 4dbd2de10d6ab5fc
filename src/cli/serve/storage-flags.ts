import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultRules, getLimit } from '#contract/rule-book.ts';
import type { WorkerRole } from '#store/tables/workers.ts';
import { readCount, readCredit, postgresAddress, wholeNumber } from '../flag-values.ts';
import type { ScaleOptions, ServeOptions, SessionsMax, StorageOptions } from './serve-options.ts';

/** Values of the database flags of `svc serve`. */
export interface StorageFlags {
  readonly database?: string;
  readonly databaseConnections: number;
}

/**
 * Default for the maximum number of connections to PostgreSQL. Each running transaction needs a connection. More
 * connections than the database has processor cores do not make it faster.
 */
const connectionsDefault = 10;

const connectionsMin = 2;

/** Adds the database flags. */
export function addStorageFlags(command: Command): Command {
  return command
    .option(
      '--database <address>',
      'database of the state: postgres://user:password@host/name (default: a SQLite file below --data)',
      postgresAddress,
    )
    .option(
      '--database-connections <number>',
      'maximum number of connections to PostgreSQL',
      wholeNumber(connectionsMin),
      connectionsDefault,
    );
}

/** Converts the database flags to options. */
export function readStorageOptions(flags: StorageFlags): StorageOptions {
  return { databaseAddress: flags.database ?? null, connectionsMax: flags.databaseConnections };
}

/** Values of the process flags of `svc serve`. */
export interface ScaleFlags {
  readonly role?: WorkerRole;
  readonly secretFile?: string;
}

/** Adds the process flags. */
export function addScaleFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--role <role>',
        'part of this process in a service of several on one PostgreSQL: answer requests (api), run sandboxes (worker), or both (docs/guides/run.md; default: a single process)',
      ).choices(['api', 'worker', 'all']),
    )
    .option(
      '--secret-file <file>',
      'secret for signed URLs and encryption: at least 32 random bytes, the same file for every process (default: created in the data folder)',
    );
}

/** Converts the process flags to options. */
export function readScaleOptions({ role, secretFile }: ScaleFlags): ScaleOptions {
  return { role: role ?? null, secretFile: secretFile ?? null };
}

/** Values of the limit flags of `svc serve`, for projects, sessions and client addresses. */
export interface LimitFlags {
  readonly inactivityMinutes: number;
  readonly sessionsMax: SessionsMax;
  readonly connectionsPerAddress: number;
  readonly requestsPerSecond?: number;
  /** Credit in micro-dollars; null for unlimited credit. */
  readonly credit?: number | null;
  readonly zeroDataRetention?: true;
}

const minuteMs = 60_000;

const tiers = `${defaultRules.pricing.sessionTiers[0]?.sessions} to ${defaultRules.pricing.sessionTiers.at(-1)?.sessions}`;

/** Adds the limit flags. */
export function addLimitFlags(command: Command): Command {
  return command
    .option('--inactivity-minutes <number>', 'idle time after which a session ends as timed_out', readCount, 15)
    .option(
      '--sessions-max <number>',
      `maximum number of living sessions of a project; by-spend: ${tiers}, by its spend`,
      readSessionsMax,
      25,
    )
    .option(
      '--connections-per-address <number>',
      'maximum number of connections of one client address',
      readCount,
      1000,
    )
    .option(
      '--requests-per-second <number>',
      `maximum requests per second of a project, for example ${getLimit(defaultRules, 'requestRate')}; more are refused with 429 (default: unlimited)`,
      readCount,
    )
    .option(
      '--credit <usd>',
      'credit of each project whose key is bootstrapped at this start; "unlimited" removes an earlier one (default: unlimited for new projects)',
      readCredit,
    )
    .option(
      '--zero-data-retention',
      'zero data retention for the projects whose keys are bootstrapped at this start: their sessions can be purged',
    );
}

/** Converts the limit flags to options. */
export function readLimitOptions(
  flags: LimitFlags,
): Pick<ServeOptions, 'inactivityMs' | 'activeSessionsMax' | 'grant' | 'connectionsPerAddress' | 'requestsPerSecond'> {
  return {
    inactivityMs: flags.inactivityMinutes * minuteMs,
    activeSessionsMax: flags.sessionsMax,
    grant: {
      ...(flags.credit === undefined ? {} : { creditMicros: flags.credit }),
      ...(flags.zeroDataRetention === undefined ? {} : { zeroDataRetention: flags.zeroDataRetention }),
    },
    connectionsPerAddress: flags.connectionsPerAddress,
    ...(flags.requestsPerSecond === undefined ? {} : { requestsPerSecond: flags.requestsPerSecond }),
  };
}

/**
 * Parses the maximum number of active sessions of a project: a whole number of at least 1, or `by-spend`. Throws an
 * InvalidArgumentError for other text.
 */
function readSessionsMax(text: string): SessionsMax {
  if (text === 'by-spend') return text;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number of at least 1, or by-spend.');
}
