import { randomUUID } from 'node:crypto';
import { isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * The built-in module `node:http`. An `import` statement would read every member of the module. This would load an HTTP
 * client and add 40 ms to each start.
 */
const http = process.getBuiltinModule('node:http');

/** Creates an HTTP server. */
export const { createServer } = http;

/** Security headers of every response. A page that needs other values overrides them. */
export const guardHeaders: ReadonlyMap<string, string> = new Map([
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'no-store'],
]);

/** A refusal as HTTP response: status, body before serialisation, and additional headers such as `Retry-After`. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Formats a refusal as the text of an HTTP/1.1 response with `Connection: close`. Generates a request id, because no
 * request was parsed that could have one.
 */
export function refusalText({ status, body, headers = {} }: Refusal): string {
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${randomUUID()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...Array.from(guardHeaders, ([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}

/** Error codes for resources that are temporarily unavailable (spec/rules/errors.yaml, status 503 or 507). */
export type UnavailableCode = 'database_away' | 'database_locked' | 'owner_silent' | 'storage_full';

/**
 * Error of a request that needs a resource which is temporarily unavailable. The response tells the client after how
 * many seconds to retry.
 */
export class Unavailable extends Error {
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Number of 16-bit groups of the network prefix of an IPv6 address (64 bits). */
const networkGroups = 4;

/**
 * Returns the address group that counts as one client, for example for rate limits. This is an IPv4 address itself, or
 * the /64 prefix of an IPv6 address. An IPv4 address in IPv6 notation counts as IPv4. Returns a text that is no IP
 * address unchanged.
 */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%', 1).join('').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 2 * networkGroups - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.slice(0, networkGroups).join(':')}::/64`;
}

/** Addresses of a network: those that begin with the first `prefix` bits of `address`. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Length of an address in bits, by IP version. */
const addressBits = { 4: 32, 6: 128 } as const;

/**
 * Parses a range in CIDR notation (`10.0.0.0/8`, `fd00::/8`). A single address is a range of this address alone.
 * Returns null for any other text.
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', length, ...more] = text.split('/');
  const version = isIP(address);
  if ((version !== 4 && version !== 6) || more.length > 0) return null;
  const bits = addressBits[version];
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > bits)) return null;
  return { address, prefix: Number(length ?? bits), family: version === 4 ? 'ipv4' : 'ipv6' };
}
