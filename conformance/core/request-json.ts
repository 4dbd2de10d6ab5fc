import type { Exchange } from './exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from './json.ts';

/** The JSON that an exchange has sent; undefined where that is none. Nobody may change it: whoever asks gets the same. */
export function requestJson({ request }: Exchange): JsonValue | undefined {
  if (request.body === undefined) return undefined;
  const known = sent.get(request) ?? { json: parseJson(request.body) };
  sent.set(request, known);
  return known.json;
}

/** The same as an object; an empty one where it is none. */
export function requestObject(exchange: Exchange): JsonObject {
  const json = requestJson(exchange);
  return isJsonObject(json) ? json : {};
}

/** What each request has sent: every law asks that of every exchange. */
const sent = new WeakMap<Exchange['request'], { readonly json: JsonValue | undefined }>();
