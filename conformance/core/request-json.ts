import type { Exchange } from './exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from './json.ts';

/**
 * Returns the JSON body of a request; undefined if the body is not JSON. The value is shared and must not be changed.
 */
export function requestJson({ request }: Exchange): JsonValue | undefined {
  if (request.body === undefined) return undefined;
  const known = sent.get(request) ?? { json: parseJson(request.body) };
  sent.set(request, known);
  return known.json;
}

/** Returns the JSON body of a request as an object; an empty object for any other body. */
export function requestObject(exchange: Exchange): JsonObject {
  const json = requestJson(exchange);
  return isJsonObject(json) ? json : {};
}

/** Cache of the parsed body of each request, because every law needs it. */
const sent = new WeakMap<Exchange['request'], { readonly json: JsonValue | undefined }>();
