import { TabError } from '../tab/tab.ts';

/** Addresses under these names never exist (RFC 2606), so simulated ones do not either. */
const UNKNOWN_HOST = /(^|\.)invalid$/;

/**
 * The HTML that a simulated browser finds at an address: the content of a `data:` address, else a page made up from the
 * host and path. Throws a {@link TabError} for hosts under `.invalid`, so that a failing page can be had as well.
 */
export function pageOf(url: URL): string {
  if (url.href.length > addressCharactersMax)
    throw new TabError(
      `Could not open the address: it has ${url.href.length} characters, and a simulated browser takes at most ${addressCharactersMax}.`,
    );
  if (url.protocol === 'data:') return htmlOfDataUrl(url);
  if (url.protocol === 'about:') return '';
  if (UNKNOWN_HOST.test(url.hostname)) {
    throw new TabError(`Could not open ${url.href}: the host ${url.hostname} is unknown.`);
  }
  return `<title>${url.hostname}</title><h1>Welcome to ${url.hostname}</h1>
<p>This page is simulated.</p><a href="/more">More</a><label>Search <input name="q"></label><button>Go</button>
<table><caption>Request</caption><tr><th>Part</th><th>Value</th></tr><tr><td>Host</td><td>${url.hostname}</td></tr>
<tr><td>Path</td><td>${url.pathname}</td></tr></table>`;
}

/** Simulated pages are small, and show their addresses. */
const addressCharactersMax = 100_000;

function htmlOfDataUrl(url: URL): string {
  const [, base64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url.href) ?? [];
  try {
    return base64 === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString('utf8');
  } catch (error) {
    throw new TabError('Could not open the data: address: its percent signs are not an encoding.', { cause: error });
  }
}
