/** What a refusal says for people: its `detail`, each of several with the place that it is about; the status where it says nothing. */
export function wordsOf(status: number, body: unknown): string {
  const detail = memberOf(body, 'detail');
  if (typeof detail === 'string' && detail !== '') return detail;
  if (Array.isArray(detail) && detail.length > 0) return detail.map(sentenceOf).join('. ');
  const message = memberOf(detail, 'message');
  return typeof message === 'string' ? message : `The service answered with status ${status}`;
}

function sentenceOf(element: unknown): string {
  const place = memberOf(element, 'loc');
  const parts = Array.isArray(place) ? place.slice(1).map(String) : [];
  const said = memberOf(element, 'msg');
  const message = typeof said === 'string' ? said : 'is not accepted';
  return parts.length === 0 ? message : `${parts.join('.')}: ${message}`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
