/** An answer that is no success. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The word for what is wrong: `error` of the body, else the `type` of its first detail; null where the body has neither. */
  readonly code: string | null;
  /** The header X-Request-Id, by which the operator of the service finds the request; null without one. */
  readonly requestId: string | null;
  /** The whole body: parsed where it is JSON, else its text. */
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    const { status } = response;
    super(`${status} ${wordsOf(body) ?? response.statusText}`.trim());
    this.status = status;
    this.code = codeOf(body);
    this.requestId = response.headers.get('x-request-id');
    this.body = body;
  }
}

/** `message` before `detail`, as other clients do; a list of details is joined, each with where it is. */
function wordsOf(body: unknown): string | null {
  if (typeof body === 'string') return body.slice(0, shownLength);
  const found = member(body, 'message') ?? member(body, 'detail');
  if (Array.isArray(found)) return found.map(detailWords).join('; ');
  return found === undefined ? null : asText(found);
}

/** A proxy on the way may answer with a page. */
const shownLength = 200;

function detailWords(detail: unknown): string {
  const place = member(detail, 'loc');
  const words = asText(member(detail, 'msg') ?? detail);
  return Array.isArray(place) ? `${place.join('.')}: ${words}` : words;
}

function codeOf(body: unknown): string | null {
  const detail = member(body, 'detail');
  const code = member(body, 'error') ?? (Array.isArray(detail) ? member(detail[0], 'type') : undefined);
  return typeof code === 'string' ? code : null;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

/** A use of the client that the contract's rules for client libraries forbid; nothing was sent. The message says what to do. */
export class ClientFault extends Error {
  override readonly name = 'ClientFault';
}

/** What was waited for has not ended in time; it goes on. */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';
}
