import { InvalidArgumentError, Option } from 'commander';
import { isPostgres } from '#store/database-url.ts';

/** Reads the address of a PostgreSQL database. */
export function postgresAddress(text: string): string {
  // One that leaves the host to its parameters is none for the URL of the platform.
  if (isPostgres(text) && URL.canParse(text.replace('@/', '@localhost/'))) return text;
  throw new InvalidArgumentError('Expected postgres://user:password@host:port/name.');
}

/** The option of a command that works on the database of a service: the environment has it too, so that a password need not be shown. */
export function databaseOption(): Option {
  return new Option(
    '--database <address>',
    'the database of the service, as svc serve has it (default: the file below --data)',
  )
    .env('SVC_DATABASE')
    .argParser(postgresAddress);
}
