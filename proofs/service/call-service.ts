import { type JsonValue, parseJson } from '#conformance/core/json.ts';

/** A response of a service. */
export interface ServiceAnswer {
  readonly status: number;
  /** JSON body of the response; null without one. */
  readonly json: JsonValue;
}

/**
 * A function that calls an operation of a service with one key. The path is relative to `/api/`. Rejects if no response
 * arrives.
 */
export type CallService = (method: string, path: string, body?: JsonValue) => Promise<ServiceAnswer>;

/** URL and key of a service. The URL may change with a restart. */
export interface ServiceAccess {
  readonly address: () => string;
  readonly key: string;
}

/** Creates a minimal HTTP client for a service. */
export function createCall({ address, key }: ServiceAccess): CallService {
  return async (method, path, body) => {
    const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${address()}/api/${path}`, init);
    return { status: answer.status, json: parseJson(await answer.text()) ?? null };
  };
}
