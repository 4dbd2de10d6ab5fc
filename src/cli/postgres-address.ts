import { InvalidArgumentError, Option } from 'commander';
import { isPostgres } from '#store/database-url.ts';

/** Parses the address of a PostgreSQL database. Throws an InvalidArgumentError for anything else. */
export function postgresAddress(text: string): string {
  // `URL` rejects an address without host, which names the host in its parameters.
  if (isPostgres(text) && URL.canParse(text.replace('@/', '@localhost/'))) return text;
  throw new InvalidArgumentError('Expected postgres://user:password@host:port/name.');
}

/**
 * Creates the option `--database` of a command. The environment can set it too, so that a password need not be on the
 * command line.
 */
export function databaseOption(): Option {
  return new Option(
    '--database <address>',
    'the database of the service, as svc serve has it (default: the file below --data)',
  )
    .env('SVC_DATABASE')
    .argParser(postgresAddress);
}
