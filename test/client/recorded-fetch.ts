/** A recorded request. */
export interface Asked {
  readonly method: string;
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A `fetch` that returns listed responses, repeating the last one, and records its requests. */
export interface RecordedFetch {
  readonly asked: readonly Asked[];
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Creates a `fetch` that returns these responses in order and then repeats the last. Calls reject if the list of
 * responses is empty.
 */
export function recordedFetch(answers: readonly (() => Response)[]): RecordedFetch {
  const asked: Asked[] = [];
  return {
    asked,
    async fetch(request) {
      const { method, url, headers } = request;
      asked.push({ method, address: url, headers, body: await request.text() });
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === undefined) throw new Error('a recorded fetch needs an answer');
      return answer();
    },
  };
}
