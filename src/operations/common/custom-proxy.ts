import { isIP } from 'node:net';
import { type Problem, problem } from '#contract/problems.ts';
import type { CustomProxy } from '#browsers/index.ts';

/** The custom proxy of a request (companion 4.4). */
export interface GivenProxy {
  readonly host: string;
  readonly port: number;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly ignoreCertErrors?: boolean;
}

/** Maximum number of bytes of the user name, and of the password, of a SOCKS5 proxy (RFC 1929). */
const socksBytesMax = 255;

/**
 * Returns the custom proxy of a request; null without a proxy, and a problem for an invalid proxy. `place` is the path
 * of the proxy in the body.
 */
export function readCustomProxy(
  given: GivenProxy | null | undefined,
  place: readonly string[],
): CustomProxy | Problem | null {
  if (given === null || given === undefined) return null;
  const { port, username = null, password = null, ignoreCertErrors = false } = given;
  const [, scheme = 'http', written = ''] = /^(?:(https?|socks5):\/\/)?(.*)$/is.exec(given.host) ?? [];
  const host = parseHost(written);
  if (host === null) return problem('proxy_host_malformed', {}, ['body', ...place, 'host']);
  const proxy = { scheme: parseScheme(scheme), host, port, username, password, ignoreCertErrors };
  return checkCredentials(proxy, place) ?? proxy;
}

/**
 * Returns a host name or IP address in canonical form; null for any other text, also for a host with a port, path or
 * credentials.
 */
function parseHost(written: string): string | null {
  const address = written.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !address.includes('%')) return address;
  // As in a URL: ASCII only, and numeric notations of IPv4 addresses in dotted form.
  if (!/^[\p{L}\p{N}\p{M}._-]+$/u.test(written)) return null;
  return URL.canParse(`http://${written}`) ? new URL(`http://${written}`).hostname : null;
}

function parseScheme(written: string): CustomProxy['scheme'] {
  const scheme = written.toLowerCase();
  return scheme === 'socks5' || scheme === 'https' ? scheme : 'http';
}

function checkCredentials({ scheme, username, password }: CustomProxy, place: readonly string[]): Problem | null {
  if (scheme !== 'socks5') return null;
  for (const [name, value] of Object.entries({ username, password })) {
    const found = Buffer.byteLength(value ?? '');
    if (found <= socksBytesMax) continue;
    const values = { found: String(found), limit: String(socksBytesMax) };
    return problem('proxy_credentials_too_long', values, ['body', ...place, name]);
  }
  return null;
}
