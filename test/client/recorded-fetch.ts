/** What was asked of a service that is not there. */
export interface Asked {
  readonly method: string;
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A fetch that answers from a list, the last answer again and again, and keeps what it was asked. */
export interface RecordedFetch {
  readonly asked: readonly Asked[];
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Answers with these responses, one after the other. */
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
