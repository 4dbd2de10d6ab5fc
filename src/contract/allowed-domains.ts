/** A parsed entry of `allowedDomains`. */
interface Entry {
  /** `http:` or `https:`; undefined allows both. */
  readonly protocol: string | undefined;
  /** Whether subdomains of the host are allowed as well. */
  readonly below: boolean;
  readonly host: string;
  /** Port of the entry; undefined allows every port. */
  readonly port: string | undefined;
}

const entryPattern = /^(?:(?<protocol>https?:)\/\/)?(?<wildcard>\*\.)?(?<host>[a-z0-9.-]+?)(?::(?<port>\d{1,5}))?$/;
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns whether a task that is limited to the domains may open a URL (companion 5.2). An entry is a host
 * (`example.com`), or `*.` and a host for the host and its subdomains. A scheme may precede the entry and a port may
 * follow. URLs without a host (`about:blank`, `data:`) are allowed, except `file:`. Invalid URLs are not allowed. A
 * blob URL has the domain of the page that created it.
 */
export function isAllowedAddress(domains: readonly string[], address: string): boolean {
  if (!URL.canParse(address)) return false;
  const given = new URL(address);
  // The origin of a blob URL is the origin of the page that created it, or "null" for a page without a host.
  const url = (given.protocol === 'blob:' ? URL.parse(given.origin) : null) ?? given;
  if (url.hostname === '') return url.protocol !== 'file:';
  return domains.some((domain) => allows(parseEntry(domain), url));
}

/** Parses one entry. Throws for an invalid entry, which the validation of the request has excluded. */
function parseEntry(domain: string): Entry {
  const groups = entryPattern.exec(domain.toLowerCase())?.groups;
  if (groups === undefined) throw new Error(`not an entry of a list of allowed domains: ${domain}`);
  const { protocol, wildcard, host = '', port } = groups;
  return { protocol, below: wildcard !== undefined, host, port };
}

function allows({ protocol, below, host, port }: Entry, url: URL): boolean {
  const portOfUrl = url.port === '' ? defaultPorts[url.protocol] : url.port;
  return (
    (protocol === undefined || protocol === url.protocol) &&
    (port === undefined || port === portOfUrl) &&
    (url.hostname === host || (below && url.hostname.endsWith(`.${host}`)))
  );
}
