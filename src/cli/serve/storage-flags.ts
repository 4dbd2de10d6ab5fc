import { type Command, InvalidArgumentError } from 'commander';
import { postgresAddress } from '../postgres-address.ts';

/** What the flags about the database of `svc serve` are read to. */
export interface StorageFlags {
  readonly database?: string;
  readonly databaseConnections: number;
}

/** Where the state is kept. */
export interface StorageOptions {
  /** Address of a PostgreSQL database; null for a SQLite file in the data folder. */
  readonly databaseAddress: string | null;
  /** Connections to it that are open at most. */
  readonly connectionsMax: number;
}

/** A transaction needs one; more than the cores of a database have to do make it no faster. */
const connectionsDefault = 10;
const connectionsMin = 2;

/** Adds the flags about the database. */
export function addStorageFlags(command: Command): Command {
  return command
    .option(
      '--database <address>',
      'where state is kept: postgres://user:password@host/name (default: a SQLite file below --data)',
      postgresAddress,
    )
    .option(
      '--database-connections <number>',
      'connections to PostgreSQL that are open at most',
      connections,
      connectionsDefault,
    );
}

/** The options that those flags stand for. */
export function storageOptionsOf(flags: StorageFlags): StorageOptions {
  return { databaseAddress: flags.database ?? null, connectionsMax: flags.databaseConnections };
}

function connections(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= connectionsMin) return value;
  throw new InvalidArgumentError(`Expected a whole number of at least ${connectionsMin}.`);
}
