import { isJsonObject } from '#lib/json.ts';
import { testKey } from '../support/start-backend.ts';
import type { TestTime } from './test-time.ts';

/** Error of the public client for an unsuccessful response (companion C9). */
export class ClientError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(describeError(status, body));
    this.status = status;
    this.body = body;
  }
}

/**
 * Returns the text of an error: `message` or else `detail` (companion C8). Formats a value that is no string as JSON.
 * Without these members, returns `HTTP` with the status.
 */
function describeError(status: number, body: unknown): string {
  const found = isJsonObject(body) ? (body['message'] ?? body['detail']) : undefined;
  if (found === undefined) return `HTTP ${status}`;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

/** The transport of the public client, which uses only fetch (companion 2, C1 to C10). */
export interface Connection {
  readonly time: TestTime;
  /**
   * Sends a request; resolves to the parsed body of a success, or to undefined for 204. Rejects with a ClientError for
   * another status, and with a SyntaxError for a success without JSON.
   */
  request(method: string, path: string, body?: object): Promise<unknown>;
  /** Returns the number of attempts so far, including retries. */
  attempts(): number;
}

/** Options of a client. */
export interface ConnectionOptions {
  /** Base URL, for example `http://127.0.0.1:8080/api/v2`. */
  readonly baseUrl: string;
  readonly time: TestTime;
  /** @defaultValue testKey */
  readonly key?: string;
}

const maxRetries = 3;
const longestWaitMs = 10_000;

/** Creates a connection that sends a request again only after a 429, with pauses of 1, 2 and 4 seconds. */
export function connect({ baseUrl, time, key = testKey }: ConnectionOptions): Connection {
  let attempts = 0;
  const attempt = (method: string, path: string, body?: object): Promise<Response> => {
    attempts += 1;
    const headers = { 'X-Service-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    return fetch(`${baseUrl}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  };
  return {
    time,
    attempts: () => attempts,
    async request(method, path, body) {
      for (let retry = 0; ; retry += 1) {
        const response = await attempt(method, path, body);
        if (response.status !== 429 || retry === maxRetries) return read(response);
        await response.arrayBuffer();
        await time.sleep(Math.min(1000 * 2 ** retry, longestWaitMs));
      }
    },
  };
}

async function read(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  // Any other success is parsed, so that an empty body makes the call fail (companion C7).
  if (response.ok) return response.json();
  throw new ClientError(response.status, await errorBody(response));
}

/** Reads the body of an error: JSON, or text for a body that is no JSON (companion C10). */
async function errorBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
