import type { Exchange } from '../harness/exchange.ts';
import { type JsonValue, isJsonObject } from '../harness/json.ts';

/** What only its owner can know: uuids, addresses, and texts that the suite has given. */
const telling = [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i, /^(https?|wss?):\/\/\S{24,}/, /svc-check/];

/** The texts in some answers that nobody but their owner can know, each once. */
export function secretsIn(answers: readonly Exchange[]): string[] {
  const texts = answers.flatMap(({ json }) => (json === undefined ? [] : textsIn(json)));
  return [...new Set(texts.filter((text) => telling.some((pattern) => pattern.test(text))))];
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => textsIn(item)) : [];
}
