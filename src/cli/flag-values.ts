import { InvalidArgumentError } from 'commander';
import { isLoopback } from '#api/http/connections.ts';
import { usdToMicros } from '#contract/money.ts';

/** Where to listen, of a text such as `127.0.0.1:8081`. Throws an InvalidArgumentError for anything else. */
export function readAddress(text: string): { host: string; port: number } {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected ADDRESS:PORT, for example 127.0.0.1:8081.');
  return { host: String(match[1]), port: readPort(String(match[2])) };
}

/** Reads a flag that counts: a whole number of at least 1. */
export function readCount(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number of at least 1.');
}

/** A credit on the command line in micro-dollars; null for `unlimited`. Anything else ends with wrong usage. */
export function readCredit(text: string): number | null {
  if (text === 'unlimited') return null;
  const micros = usdToMicros(text);
  if (micros !== null && micros >= 0) return micros;
  throw new InvalidArgumentError('Expected an amount in US dollars such as 25 or 0.50, or unlimited.');
}

/** Where to listen on this machine alone, of a text such as `127.0.0.1:8081`. Throws an InvalidArgumentError for anything else. */
export function readLoopback(text: string): { host: string; port: number } {
  const address = readAddress(text);
  if (isLoopback(address.host)) return address;
  throw new InvalidArgumentError('Expected an address of this machine alone, for example 127.0.0.1:8081.');
}

/** A port on the command line, 0 to 65535 included; 0 takes a free one. Anything else ends with wrong usage. */
export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Expected a whole number from 0 to 65535.');
}

/** Collects the values of a flag that may be repeated. */
export function collect(line: string, lines: string[]): string[] {
  return [...lines, line];
}
