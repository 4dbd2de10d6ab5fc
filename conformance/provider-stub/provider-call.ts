import { type JsonObject, type JsonValue, isJsonObject, memberAt, textOf } from '../core/json.ts';

/** Families of requests that the stub understands. */
const wireFamilies = ['responses', 'chat', 'messages', 'google'] as const;

/** One of the families. */
export type WireFamily = (typeof wireFamilies)[number];

/** One request that reached the stub, without anything that is secret. */
export interface ProviderCall {
  /** Place among all that reached the stub, from 0. */
  index: number;
  family: WireFamily;
  /** Path without query. */
  path: string;
  /** Model as the request names it, in its body or its path. */
  model: string;
  /** The same word for the same key; empty where the request carried none. */
  key: string;
  /** Provider whose stored key of the caller it carries, as the target file tells it; null for any other key. */
  ownKeyOf: string | null;
  /** Long texts are cut, images are left out. */
  body: JsonObject;
  /** Why the provider would refuse it; empty where it would not. */
  breaches: string[];
}

/** The calls in an answer of the stub; empty where it is none. */
export function readCalls(answer: JsonValue | undefined): ProviderCall[] {
  const calls = memberAt(answer, 'calls');
  return Array.isArray(calls) ? calls.filter(isJsonObject).map((call) => callOf(call)) : [];
}

function callOf(call: JsonObject): ProviderCall {
  const { index, family, path, model, key, ownKeyOf, body, breaches } = call;
  return {
    index: Number(index),
    family: wireFamilies.find((name) => name === family) ?? 'chat',
    path: textOf(path),
    model: textOf(model),
    key: textOf(key),
    ownKeyOf: typeof ownKeyOf === 'string' ? ownKeyOf : null,
    body: isJsonObject(body) ? body : {},
    breaches: Array.isArray(breaches) ? breaches.map((one) => textOf(one)) : [],
  };
}
