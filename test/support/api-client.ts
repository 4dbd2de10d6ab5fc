import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { testKey } from './start-backend.ts';

/** A response for tests. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** A client that calls one generation of a backend with one key. */
export interface ApiClient {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * Fetches a session, task or run until the condition holds. Fails with the last record after `waitMs`, by default 10
   * s.
   */
  until(id: string, condition: (record: JsonObject) => boolean, waitMs?: number): Promise<JsonObject>;
}

const deadlineMs = 10_000;
/**
 * First and longest pause in milliseconds between two polls. The pauses grow, so that polling does not slow down a slow
 * operation further.
 */
const [firstPauseMs, pauseMaxMs] = [5, 50];

/** Collections that `until` polls in each generation. */
const collections = { v2: 'tasks', v3: 'sessions', v4: 'runs' } as const;

/** Creates a client for one generation of a backend; V3 by default. */
export function createApiClient(
  address: string,
  key: string = testKey,
  version: keyof typeof collections = 'v3',
): ApiClient {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { 'x-service-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${address}/api/${version}${path}`, {
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
    async until(id, condition, waitMs = deadlineMs) {
      const end = Date.now() + waitMs;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, pauseMaxMs)) {
        const { body } = await call('GET', `/${collections[version]}/${id}`);
        if (condition(body)) return body;
        if (Date.now() > end) throw new Error(`it did not get there: ${JSON.stringify(body)}`);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  };
}
