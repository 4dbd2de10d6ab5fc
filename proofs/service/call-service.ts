import { type JsonValue, parseJson } from '../../conformance/core/json.ts';

/** An answer of a service. */
export interface ServiceAnswer {
  readonly status: number;
  /** Null where there is no body, or none that is JSON. */
  readonly json: JsonValue;
}

/** Calls operations of one service with one key; paths begin behind `/api/`. Rejects when no answer comes. */
export type CallService = (method: string, path: string, body?: JsonValue) => Promise<ServiceAnswer>;

/** Whom to call, as who. The address may change when the service is started again. */
export interface ServiceAccess {
  readonly address: () => string;
  readonly key: string;
}

/** A client that does nothing but ask and read. */
export function createCall({ address, key }: ServiceAccess): CallService {
  return async (method, path, body) => {
    const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${address()}/api/${path}`, init);
    return { status: answer.status, json: parseJson(await answer.text()) ?? null };
  };
}
