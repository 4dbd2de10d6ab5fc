import { type Command, InvalidArgumentError, Option } from 'commander';
import { isLoopback } from '#api/http/connections.ts';
import { usdToMicros } from '#contract/money.ts';
import { isPostgres } from '#store/storage-addresses.ts';

/** Parses a listen address such as `127.0.0.1:8081`. Throws an InvalidArgumentError for anything else. */
export function readAddress(text: string): { host: string; port: number } {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected ADDRESS:PORT, for example 127.0.0.1:8081.');
  return { host: String(match[1]), port: readPort(String(match[2])) };
}

/**
 * Creates a parser of decimal digits that form a whole number from `min` to `max`, both included. The parser throws an
 * InvalidArgumentError for anything else.
 */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number ${bounds}.`);
  };
}

/** Parses a whole number of at least 1. Throws an InvalidArgumentError for anything else. */
export const readCount = wholeNumber(1);

/** Parses a port from 0 to 65535; 0 selects a free port. Throws an InvalidArgumentError for anything else. */
export const readPort = wholeNumber(0, 65_535);

/**
 * Parses a credit in US dollars to micro-dollars; null for `unlimited`. Throws an InvalidArgumentError for anything
 * else.
 */
export function readCredit(text: string): number | null {
  if (text === 'unlimited') return null;
  const micros = usdToMicros(text);
  if (micros !== null && micros >= 0) return micros;
  throw new InvalidArgumentError('Expected an amount in US dollars such as 25 or 0.50, or unlimited.');
}

/** Parses a loopback address such as `127.0.0.1:8081`. Throws an InvalidArgumentError for anything else. */
export function readLoopback(text: string): { host: string; port: number } {
  const address = readAddress(text);
  if (isLoopback(address.host)) return address;
  throw new InvalidArgumentError('Expected an address of this machine alone, for example 127.0.0.1:8081.');
}

/** Returns an http or https URL unchanged. Throws an InvalidArgumentError for any other text. */
export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Expected an address that starts with http:// or https://.');
}

/** Returns the earlier values of a repeatable flag, followed by the new value. */
export function collect(line: string, lines: string[]): string[] {
  return [...lines, line];
}

/** Returns the URL of a PostgreSQL database unchanged. Throws an InvalidArgumentError for any other text. */
export function postgresAddress(text: string): string {
  // An address without a host may name the host in its query parameters. `URL` rejects such an address.
  if (isPostgres(text) && URL.canParse(text.replace('@/', '@localhost/'))) return text;
  throw new InvalidArgumentError('Expected postgres://user:password@host:port/name.');
}

/**
 * Creates the option `--database` of a command. The environment variable SVC_DATABASE can set the option too, so that a
 * password need not be on the command line.
 */
export function databaseOption(): Option {
  return new Option(
    '--database <address>',
    'database of the service, as for svc serve (default: the file below --data)',
  )
    .env('SVC_DATABASE')
    .argParser(postgresAddress);
}

/** Adds the options `--data` and `--database`, which name the database of a service. */
export function addDatabaseOptions(command: Command): Command {
  return command.option('--data <folder>', 'data folder of the service', '.svc/data').addOption(databaseOption());
}
