import { InvalidArgumentError } from 'commander';
import { readPort } from './read-port.ts';

/** Where to listen, of a text such as `127.0.0.1:8081`. Throws an InvalidArgumentError for anything else. */
export function readAddress(text: string): { host: string; port: number } {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected ADDRESS:PORT, for example 127.0.0.1:8081.');
  return { host: String(match[1]), port: readPort(String(match[2])) };
}
