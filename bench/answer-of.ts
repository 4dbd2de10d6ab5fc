/** The JSON body of an answer; throws when the status is another one, because then something else was measured. */
export async function answerOf(url: string, init: RequestInit, status: number): Promise<unknown> {
  const response = await fetch(url, init);
  const body: unknown = await response.json();
  if (response.status !== status) throw new Error(`${url}: expected ${status}, found ${response.status}`);
  return body;
}

/** The `id` member of an answer. */
export function idOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`expected an answer with an id, found ${JSON.stringify(body)}`);
}
