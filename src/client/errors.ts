/** Thrown for a response that is not a success. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** HTTP status of the response, 400 to 599. */
  readonly status: number;
  /** Error code: `error` of the body, or the `type` of its first detail; null when the body has neither. */
  readonly code: string | null;
  /** The header X-Request-Id, which identifies the request in the operator's logs; null without the header. */
  readonly requestId: string | null;
  /** Complete body of the response: parsed JSON, or its text. */
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    const { status } = response;
    super(`${status} ${readMessage(body) ?? response.statusText}`.trim());
    this.status = status;
    this.code = readCode(body);
    this.requestId = response.headers.get('x-request-id');
    this.body = body;
  }
}

/**
 * Returns the message in an error body: its `message`, else its `detail`, or the beginning of a text body; null for a
 * body without these. For a list of details, returns each message after its location.
 */
function readMessage(body: unknown): string | null {
  if (typeof body === 'string') return body.slice(0, shownLength);
  const found = member(body, 'message') ?? member(body, 'detail');
  if (Array.isArray(found)) return found.map(detailWords).join('; ');
  return found === undefined ? null : asText(found);
}

/** Maximum number of characters that an error message contains of a text body, such as an error page of a proxy. */
const shownLength = 200;

function detailWords(detail: unknown): string {
  const place = member(detail, 'loc');
  const words = asText(member(detail, 'msg') ?? detail);
  return Array.isArray(place) ? `${place.join('.')}: ${words}` : words;
}

function readCode(body: unknown): string | null {
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

/** Thrown before a request is sent, for a use of the client that the contract forbids. The message says what to do. */
export class ClientFault extends Error {
  override readonly name = 'ClientFault';
}

/**
 * Thrown when a task, session or run has not ended within the timeout. The task, session or run continues on the
 * service.
 */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';
}
