/** Speaks with the service that the page came from. */
export interface Api {
  /** Sends a request below the address of the page, such as `api/v4/runs`. Rejects with a {@link Refusal}. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Whether this browser has the token of a login, which may have ended. */
  hasToken(): boolean;
  /** Sends the token with every request from then on, also after the page is loaded again; '' forgets it. */
  setToken(token: string): void;
}

const storedAs = 'svc console token';

/** Creates the client of the service. Calls `onEnded` when an answer says that the login has ended. */
export function createApi(onEnded: () => void): Api {
  // Storage belongs to the origin: unlike a cookie, other ports of the host do not see it.
  let token = localStorage.getItem(storedAs) ?? '';
  const setToken = (next: string): void => {
    // Another tab may have logged in since: its token stays.
    if (next !== '') localStorage.setItem(storedAs, next);
    else if (localStorage.getItem(storedAs) === token) localStorage.removeItem(storedAs);
    token = next;
  };
  return {
    hasToken: () => token !== '',
    setToken,
    async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      const response = await send(path, {
        method,
        headers: {
          ...(token === '' ? {} : { 'x-service-console': token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      if (response.status === 401 && token !== '') {
        setToken('');
        onEnded();
      }
      const read = await readJson(response);
      if (!response.ok) throw new Refusal(response.status, wordsOf(response.status, read));
      if (method !== 'GET') noteChange();
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

const changes = new EventTarget();
const changeEvent = 'change';

/** Notifies the lists of the page that something was changed, so that they are read at once. */
export function noteChange(): void {
  changes.dispatchEvent(new Event(changeEvent));
}

/** Calls `listener` after each change. Returns a function that ends it. */
export function onChange(listener: () => void): () => void {
  changes.addEventListener(changeEvent, listener);
  return () => changes.removeEventListener(changeEvent, listener);
}

/** A request that was not answered as it was hoped, in words that can be shown. */
export class Refusal extends Error {
  /** Of the answer; 0 where none came. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

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
