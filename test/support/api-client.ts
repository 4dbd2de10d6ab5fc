import { type JsonObject, isJsonObject } from '#domain/json.ts';
import { testKey } from './start-backend.ts';

/** An answer as a test looks at it. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Calls V3 of a backend with one key. */
export interface ApiClient {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Fetches a session until the condition holds; fails after 10 s with the last record seen. */
  until(id: string, condition: (session: JsonObject) => boolean): Promise<JsonObject>;
}

const deadlineMs = 10_000;
const intervalMs = 5;

/** A client for the V3 address of a backend. */
export function createApiClient(address: string, key: string = testKey): ApiClient {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { 'x-service-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${address}/api/v3${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    if (!isJsonObject(parsed)) throw new Error(`expected a JSON object, found ${text}`);
    return { status: response.status, body: parsed };
  };
  return {
    call,
    async until(id, condition) {
      const end = Date.now() + deadlineMs;
      for (;;) {
        const { body } = await call('GET', `/sessions/${id}`);
        if (condition(body)) return body;
        if (Date.now() > end) throw new Error(`session did not get there: ${JSON.stringify(body)}`);
        await new Promise((resolve) => setTimeout(resolve, intervalMs));
      }
    },
  };
}
