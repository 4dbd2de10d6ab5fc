/** A query in the order of its names, so that two of the same meaning are the same text. */
export function queryText(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}
