import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type JsonObject, isJsonObject, parseJson } from '../core/json.ts';

/** A received HTTP request with its parsed body. */
export interface Arrived {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  text: string;
  /** Parsed body; empty when the body is no JSON object. */
  body: JsonObject;
  isJson: boolean;
}

/** Maximum size of a request body in bytes; providers accept less. */
const bodyMax = 64 * 1024 * 1024;

/** Reads the complete body of a request. Rejects when the body is too large. */
export async function readRequest(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > bodyMax) throw new Error(`a request of more than ${bodyMax} bytes`);
    chunks.push(bytes);
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
  const text = Buffer.concat(chunks).toString();
  const parsed = parseJson(text);
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    text,
    body: isJsonObject(parsed) ? parsed : {},
    isJson: isJsonObject(parsed),
  };
}

/**
 * Returns the provider key of a request: from the first API key header or `key` parameter of any API family, otherwise
 * from the `Authorization` header. Returns an empty string without a key.
 */
export function readProviderKey({ headers, query }: Pick<Arrived, 'headers' | 'query'>): string {
  const places = [headers['x-api-key'], headers['x-goog-api-key'], headers['api-key'], query.get('key')];
  const plain = places.find((value) => typeof value === 'string' && value !== '');
  return typeof plain === 'string' ? plain : (headers.authorization ?? '').replace(/^bearer\s+/i, '');
}

/** Returns a short identifier of a key that does not reveal the key; an empty string without a key. */
export function keyWord(key: string): string {
  return key === '' ? '' : `key-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}
