/** One entry of a list of allowed domains, taken apart. */
interface Entry {
  /** `http:` or `https:`; undefined for both. */
  readonly protocol: string | undefined;
  /** Whether hosts below the named one are meant as well. */
  readonly below: boolean;
  readonly host: string;
  /** undefined for any. */
  readonly port: string | undefined;
}

const entryPattern = /^(?:(?<protocol>https?:)\/\/)?(?<wildcard>\*\.)?(?<host>[a-z0-9.-]+?)(?::(?<port>\d{1,5}))?$/;
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether a page of that address may be shown by a task that is bounded to the domains (companion 5.2). An entry names a host
 * (`example.com`) or with `*.` a host and all below it, optionally with a scheme before and a port behind. An address without
 * a host (`about:blank`, `data:`) comes from no domain and is allowed; text that is no address is not. A blob is of its page's domain.
 */
export function isAllowedAddress(domains: readonly string[], address: string): boolean {
  if (!URL.canParse(address)) return false;
  const given = new URL(address);
  // A blob belongs to the page that made it; one of a page without a host has the origin "null".
  const url = (given.protocol === 'blob:' ? URL.parse(given.origin) : null) ?? given;
  if (url.hostname === '') return url.protocol !== 'file:';
  return domains.some((domain) => allows(entryOf(domain), url));
}

/** Throws for text of another form, which the document's pattern has refused before. */
function entryOf(domain: string): Entry {
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
