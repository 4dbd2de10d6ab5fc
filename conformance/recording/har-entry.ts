import type { Exchange } from '../core/exchange.ts';
import type { HarEntry, HarPair } from './har.ts';

/** Renders an exchange as a HAR entry; `turn` is its position among all recorded events. */
export function harEntry(exchange: Exchange, { turn, beginMs }: { turn: number; beginMs: number }): HarEntry {
  const { index, generation, operation, sentBy, atMs, durationMs, request, status, fault, exceeds } = exchange;
  const mimeType = exchange.headers['content-type'] ?? '';
  return {
    startedDateTime: new Date(beginMs + atMs).toISOString(),
    time: durationMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: queryOf(request.url),
      headersSize: -1,
      bodySize: Buffer.byteLength(request.body ?? ''),
      ...(request.body === undefined
        ? {}
        : { postData: { mimeType: request.headers['content-type'] ?? '', text: request.body } }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(exchange.headers),
      content: { size: Buffer.byteLength(exchange.body), mimeType, text: exchange.body },
      redirectURL: exchange.headers['location'] ?? '',
      headersSize: -1,
      bodySize: Buffer.byteLength(exchange.body),
      ...(fault === undefined ? {} : { _error: fault }),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    _svc: {
      turn,
      index,
      generation,
      operation,
      sentBy,
      atMs,
      ...(fault === undefined ? {} : { fault }),
      ...(exceeds === undefined ? {} : { exceeds }),
    },
  };
}

/** Headers or parameters as a HAR lists them. */
function pairs(values: Readonly<Record<string, string>>): HarPair[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Returns the query parameters of a URL. */
export function queryOf(url: string): HarPair[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}
