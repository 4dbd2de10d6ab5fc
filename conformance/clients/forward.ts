import type { RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { BoundedBytes } from '../core/bounds.ts';
import { Agent, request as overHttp } from '../transport/node-http.ts';

/** The service behind a proxy. */
export interface Upstream {
  /** Base URL without the prefix of a generation and without a trailing slash. */
  readonly address: string;
}

/** A request to the service. */
export interface Forwarded {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Headers that are not forwarded: headers of one connection, and headers that would change the encoding of the answer.
 */
const perConnection = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'host', 'accept-encoding', 'expect'];

const agent = new Agent({ keepAlive: false });

/** Maximum size of the body of a request or response in bytes; no documented body is larger. */
export const bodyBytesMax = 67_108_864;

/**
 * Sends a request to the service without `Accept-Encoding`, and reads the complete response body. Rejects if the
 * connection fails, and closes it if the body is longer than `bodyBytesMax`.
 */
export function forward({ address }: Upstream, { method, target, headers, body }: Forwarded): Promise<Answer> {
  const url = new URL(address);
  const options: RequestOptions = {
    method,
    // The target as it was sent: a URL object would normalise it.
    path: `${url.pathname.replace(/\/$/, '')}${target}`,
    host: bareHost(url),
    port: url.port,
    headers: { ...without(headers, perConnection), 'content-length': String(body.length) },
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? overHttps(options) : overHttp({ ...options, agent });
    send.on('error', reject);
    send.on('response', (response) => {
      const received = new BoundedBytes(bodyBytesMax);
      response.on('data', (part: Buffer) => {
        if (received.add(part)) return;
        reject(new Error(`found a response of more than ${bodyBytesMax} bytes`));
        send.destroy();
      });
      response.on('error', reject);
      response.on('end', () => {
        const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        const answered = without(Object.fromEntries(given), [...perConnection, 'content-length']);
        resolve({ status: response.statusCode ?? 0, headers: answered, body: received.bytes() });
      });
    });
    send.end(body);
  });
}

/** Returns the host of a URL; an IPv6 address without the brackets, as Node expects it. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function without(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));
}

/** A response that the proxy returns to the client program. */
export interface Answer {
  readonly status: number;
  /** Headers by their names in lower case, without `content-length` and the headers of one connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
