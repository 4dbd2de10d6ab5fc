/** Limits of the requests to a server. */
export interface FetchBounds {
  /** Maximum number of bytes of an answer, its server-sent events included. */
  readonly answerBytes: number;
  /** Maximum time from the request to the end of its answer. */
  readonly answerMs: number;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Creates a `fetch` for the HTTP transport of MCP with bounded answers. The stream for messages that the server begins
 * is not opened, because only answers to requests are used: GET is answered here, as by a server without it.
 */
export function createBoundedFetch({ answerBytes, answerMs }: FetchBounds): Fetch {
  return async (url, init = {}) => {
    if (init.method === 'GET') return new Response(null, { status: 405 });
    const given = init.signal ?? undefined;
    const signal = AbortSignal.any([...(given === undefined ? [] : [given]), AbortSignal.timeout(answerMs)]);
    const response = await fetch(url, { ...init, signal });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(createLimit(answerBytes)), { status, statusText, headers });
  };
}

function createLimit(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes > bytesMax) controller.error(new Error(`The server sent more than ${bytesMax} bytes at once.`));
      else controller.enqueue(piece);
    },
  });
}
