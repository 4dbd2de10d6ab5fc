import { type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';

/** A proxy between a client and a service. It can withhold a response from the client, or delay requests. */
export interface HoldingProxy {
  readonly address: string;
  /**
   * Withholds the response to the next matching request that succeeds. The client never receives this response.
   * Resolves when the service has answered the request.
   */
  hold(fits: (request: IncomingMessage) => boolean): Promise<void>;
  /** Holds back all requests that arrive from now on. Resolves when all earlier requests are answered. */
  pause(): Promise<Paused>;
  close(): Promise<void>;
}

/** Requests that the proxy holds back since the pause. */
export interface Paused {
  /** Passes on the requests that were held back, and all later requests. */
  passOn(): void;
  /** Drops the requests that were held back, for a client that has ended, and passes on all later requests. */
  drop(): void;
}

/** Starts a proxy in front of the service at a URL. */
export async function startHoldingProxy(service: string): Promise<HoldingProxy> {
  let held: { fits: (request: IncomingMessage) => boolean; arrived: () => void } | undefined;
  let waiting: (() => void)[] | undefined;
  const open = new Set<ServerResponse>();
  let onQuiet = (): void => undefined;
  const through = (request: IncomingMessage, response: ServerResponse): void => {
    open.add(response);
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) onQuiet();
    });
    pass(service, request, (answer) => {
      const taken = (answer.statusCode ?? 0) < 300 && held?.fits(request) === true ? held : undefined;
      if (taken !== undefined) held = undefined;
      if (taken === undefined) forward(answer, response);
      else answer.resume().on('end', taken.arrived);
    });
  };
  const server = createServer((request, response) => {
    if (waiting === undefined) through(request, response);
    else waiting.push(() => through(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    hold: (fits) => new Promise((arrived) => (held = { fits, arrived })),
    pause: async () => {
      const later: (() => void)[] = (waiting = []);
      if (open.size > 0) await new Promise<void>((resolve) => (onQuiet = resolve));
      const drop = (): void => {
        waiting = undefined;
      };
      const passOn = (): void => {
        drop();
        for (const one of later) one();
      };
      return { drop, passOn };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(service: string, request: IncomingMessage, onAnswer: (answer: IncomingMessage) => void): void {
  const { method = 'GET', headers, url = '/' } = request;
  const onward = send(new URL(url, service), { method, headers });
  onward.on('response', onAnswer);
  // The client was killed, so the rest of its request is dropped.
  onward.on('error', () => request.destroy());
  request.pipe(onward);
}

function forward(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}
