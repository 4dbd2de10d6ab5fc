/** HTTP client of the service that sent the page. */
export interface Api {
  /**
   * Sends a request below the URL of the page, such as `api/v4/runs`. Rejects with a {@link Refusal} when no response
   * arrives, when the status is an error, and when the response is no JSON.
   */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Returns whether this browser stores the token of a login. The login may have ended. */
  hasToken(): boolean;
  /** Sets the login token that every later request sends, also after a reload; '' removes the token. */
  setToken(token: string): void;
}

const storedAs = 'svc console token';

/** Creates the HTTP client. Calls `onEnded` when a response shows that the login has ended. */
export function createApi(onEnded: () => void): Api {
  // Storage belongs to the origin: unlike a cookie, it is not shared with other ports of the host.
  let token = localStorage.getItem(storedAs) ?? '';
  const setToken = (next: string): void => {
    // Another tab may have logged in since: its token is kept.
    if (next !== '') localStorage.setItem(storedAs, next);
    else if (localStorage.getItem(storedAs) === token) localStorage.removeItem(storedAs);
    token = next;
  };
  return {
    hasToken: () => token !== '',
    setToken,
    async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      const sentToken = token;
      const response = await send(path, {
        method,
        headers: {
          ...(token === '' ? {} : { 'x-service-console': token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      // After another login, a late response says nothing about its token.
      if (response.status === 401 && token !== '' && token === sentToken) {
        setToken('');
        onEnded();
      }
      const read = await readJson(response);
      if (!response.ok) throw new Refusal(response.status, getWords(response.status, read));
      if (method !== 'GET') noteChange();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where an answer becomes a type of its document
      return read as Answer;
    },
  };
}

/** Sends a request below the URL of the page. Rejects with a {@link Refusal} when no response arrives. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(path, document.baseURI), { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): Refusal {
  return new Refusal(0, `The service cannot be reached (${error instanceof Error ? error.message : 'no answer'})`);
}

/**
 * Reads the JSON body of a response; null without a body. Rejects with a {@link Refusal} for any other format, and when
 * the body ends early.
 */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(error);
  });
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // A proxy before the service may respond with its own format.
    throw new Refusal(response.status, `The answer is no JSON (status ${response.status})`);
  }
}

const changes = new EventTarget();
const changeEvent = 'change';

/** Tells the lists of the page that data has changed, so that they are read again at once. */
export function noteChange(): void {
  changes.dispatchEvent(new Event(changeEvent));
}

/** Calls `listener` after each change of data; the returned function removes the listener. */
export function onChange(listener: () => void): () => void {
  changes.addEventListener(changeEvent, listener);
  return () => changes.removeEventListener(changeEvent, listener);
}

/** A failed request with a message for the user. */
export class Refusal extends Error {
  /** HTTP status of the response; 0 without a response. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Returns the message of an error response: the text of `detail`, the `message` of `detail`, or several details with
 * their locations. Without these, names the status.
 */
export function getWords(status: number, body: unknown): string {
  const detail = getMember(body, 'detail');
  if (typeof detail === 'string' && detail !== '') return detail;
  if (Array.isArray(detail) && detail.length > 0) return detail.map(getSentence).join('. ');
  const message = getMember(detail, 'message');
  return typeof message === 'string' ? message : `The service answered with status ${status}`;
}

function getSentence(element: unknown): string {
  const place = getMember(element, 'loc');
  const parts = Array.isArray(place) ? place.slice(1).map(String) : [];
  const said = getMember(element, 'msg');
  const message = typeof said === 'string' ? said : 'is not accepted';
  return parts.length === 0 ? message : `${parts.join('.')}: ${message}`;
}

function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
