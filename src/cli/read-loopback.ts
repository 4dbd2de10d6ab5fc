import { InvalidArgumentError } from 'commander';
import { isLoopback } from '#api/http/connections/index.ts';
import { readAddress } from './read-address.ts';

/** Where to listen on this machine alone, of a text such as `127.0.0.1:8081`. Throws an InvalidArgumentError for anything else. */
export function readLoopback(text: string): { host: string; port: number } {
  const address = readAddress(text);
  if (isLoopback(address.host)) return address;
  throw new InvalidArgumentError('Expected an address of this machine alone, for example 127.0.0.1:8081.');
}
