import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** What an answer says of its error, as `type`, `code`, `status` and `message` in one text; empty where it has none. For telling faults apart only. */
export function errorWords(answer: JsonObject): string {
  const { error } = answer;
  if (typeof error === 'string') return error;
  return isJsonObject(error) ? wordsOf(error) : '';
}

function wordsOf(error: JsonObject): string {
  const reasons = Array.isArray(error['details'])
    ? error['details'].flatMap((detail) => (isJsonObject(detail) ? [detail['reason']] : []))
    : [];
  return ['type', 'code', 'status', 'message']
    .map((member) => error[member])
    .concat(reasons)
    .filter((word) => typeof word === 'string' || typeof word === 'number')
    .join(' ');
}
