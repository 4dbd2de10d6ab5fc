import { Refusal } from './refusal.ts';
import { wordsOf } from './words-of.ts';

/** Speaks with the service that the page came from. */
export interface Api {
  /** Sends a request below the address of the page, such as `api/v4/runs`. Rejects with a {@link Refusal}. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Goes with every request from then on. */
  setToken(token: string): void;
}

/** `onEnded` is told when the service says that nobody is logged in any more. */
export function createApi(onEnded: () => void): Api {
  let token = '';
  return {
    setToken(next) {
      token = next;
    },
    async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      const response = await send(path, {
        method,
        headers: {
          ...(token === '' ? {} : { 'x-service-console': token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      if (response.status === 401 && token !== '') onEnded();
      const read = await readJson(response);
      if (!response.ok) throw new Refusal(response.status, wordsOf(response.status, read));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where an answer becomes a type of its document
      return read as Answer;
    },
  };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(path, document.baseURI), { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    throw new Refusal(0, `The service cannot be reached (${error instanceof Error ? error.message : 'no answer'})`);
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // What stands in front of the service may answer in words of its own.
    throw new Refusal(response.status, `The answer is no JSON (status ${response.status})`);
  }
}
