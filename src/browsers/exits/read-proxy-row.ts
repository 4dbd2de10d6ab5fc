import { isIP } from 'node:net';
import type { CustomProxy } from '../egress/custom-proxy.ts';
import { fillGaps } from './fill-gaps.ts';
import type { GivenRow } from './proxies-schema.ts';
import type { ProxyRow } from './proxy-table.ts';
import { type Template, readTemplate } from './read-template.ts';

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a row lets browsers leave, or what is wrong with it, each with the member at its start. */
export type RowReading = { readonly exit: ProxyRow | 'direct' } | { readonly problems: readonly string[] };

/** What a SOCKS5 proxy takes of each (RFC 1929). */
const socksBytesMax = 255;
/** As long as the longest that a browser fills in. */
const example = { country: 'us', session: '0123456789abcdef' };

/** Reads one row, whose shape has been checked. */
export function readProxyRow(given: GivenRow, environment: Environment): RowReading {
  const { direct, countries: _countries, ...proxy } = given;
  if (direct === true) {
    const others = Object.keys(proxy);
    return others.length === 0 ? { exit: 'direct' } : { problems: [` is direct and has ${others.join(', ')} besides`] };
  }
  const problems: string[] = [];
  const template = (name: 'username' | 'password'): Template | null => {
    const text = given[name];
    if (text === undefined) return null;
    const reading = readTemplate(text, environment);
    if ('template' in reading) return reading.template;
    problems.push(`.${name} ${reading.problem}`);
    return null;
  };
  const address = readAddress(given.url, environment);
  if ('problem' in address) problems.push(`.url ${address.problem}`);
  const credentials = { username: template('username'), password: template('password') };
  if ('problem' in address || problems.length > 0) return { problems };
  const { names = 'here', ignoreCertErrors = false } = given;
  const exit = { ...address, ...credentials, names, ignoreCertErrors };
  const refused = checkCredentials(exit);
  return refused === null ? { exit } : { problems: [refused] };
}

type Address = Pick<ProxyRow, 'scheme' | 'host' | 'port'>;

/** The address is never repeated: it may hold credentials. */
function readAddress(url: string | undefined, environment: Environment): Address | { readonly problem: string } {
  const expected = 'expected http://, https:// or socks5:// with a host and a port, such as http://proxy.example:8080';
  if (url === undefined) return { problem: `is missing, ${expected}; or direct: true` };
  const whole = readTemplate(url, environment);
  if ('problem' in whole) return whole;
  const text = whole.template.map((piece) => (typeof piece === 'string' ? piece : `{${piece.gap}}`)).join('');
  if (text.includes('@')) return { problem: 'has credentials: write them as username and password' };
  const [, written, name = '', port = ''] =
    /^(https?|socks5):\/\/(\[[\da-f:.]+\]|[^/:?#[\]]+):(\d{1,5})\/?$/i.exec(text) ?? [];
  const scheme = schemes.find((known) => known === written?.toLowerCase());
  const host = readTemplate(name.replace(/^\[(.*)\]$/, '$1'), {});
  if (scheme === undefined || 'problem' in host || !isHost(fillGaps(host.template, example)) || !isPort(Number(port)))
    return { problem: `is no address of a proxy, ${expected}` };
  return { scheme, host: host.template, port: Number(port) };
}

const schemes: readonly CustomProxy['scheme'][] = ['http', 'https', 'socks5'];

function isHost(host: string): boolean {
  return isIP(host) !== 0 || (/^[\w.-]+$/.test(host) && URL.canParse(`http://${host}`));
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

function checkCredentials({ scheme, username, password }: ProxyRow): string | null {
  const filled = { username: fillGaps(username ?? [], example), password: fillGaps(password ?? [], example) };
  if (scheme !== 'socks5')
    return filled.username.includes(':') ? '.username has a colon, which the name of an HTTP proxy cannot have' : null;
  for (const [name, value] of Object.entries(filled))
    if (Buffer.byteLength(value) > socksBytesMax)
      return `.${name} is longer than the ${socksBytesMax} bytes that SOCKS5 takes`;
  return null;
}
