import { wireFamilies, type ProviderCall } from '../core/provider-call.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, textOf } from '../core/json.ts';

/** Returns the calls in an answer of the stub; empty for any other value. */
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

/** Why a row is not testable that only a provider stub shows. */
export const noStub = 'the target file names no provider stub (providerStub)';
