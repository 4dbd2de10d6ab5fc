import type { StubReader } from '../core/controls.ts';
import { callPath } from './serve-stub.ts';
import type { Send } from '../core/request.ts';
import { describeAnswer, succeeded } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';

/**
 * Creates a reader of the calls that reached the stub at a URL. The requests of the reader are recorded like all other
 * requests.
 */
export function createStubReader(address: string, send: Send): StubReader {
  return {
    reached: async (mark) => {
      const exchange = await send({
        generation: 'other',
        operation: readOperation,
        method: 'GET',
        path: `${address}${callPath}?mark=${mark}`,
        key: 'none',
      });
      if (!succeeded(exchange)) throw new NotTestable(`the provider stub ${describeAnswer(exchange)}`);
      return { exchange, calls: readCalls(exchange.json) };
    },
  };
}

/** Operation name of the reads from the stub in a recording. */
export const readOperation = 'readProviderCalls';

import { type ProviderCall, wireFamilies } from '../core/provider-call.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, toText } from '../core/json.ts';

/** Returns the calls in an answer of the stub; an empty list for an answer without a list of calls. */
function readCalls(answer: JsonValue | undefined): ProviderCall[] {
  const calls = memberAt(answer, 'calls');
  return Array.isArray(calls) ? calls.filter(isJsonObject).map((call) => parseCall(call)) : [];
}

function parseCall(call: JsonObject): ProviderCall {
  const { index, family, path, model, key, ownKeyOf, body, breaches } = call;
  return {
    index: Number(index),
    family: wireFamilies.find((name) => name === family) ?? 'chat',
    path: toText(path),
    model: toText(model),
    key: toText(key),
    ownKeyOf: typeof ownKeyOf === 'string' ? ownKeyOf : null,
    body: isJsonObject(body) ? body : {},
    breaches: Array.isArray(breaches) ? breaches.map((one) => toText(one)) : [],
  };
}

/** Reason why a requirement that needs a provider stub is not judged when the target file names no stub. */
export const noStub = 'the target file names no provider stub (providerStub)';
