import { type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';

/** Stands between a client and a service, and can keep answers back. */
export interface HoldingProxy {
  readonly address: string;
  /** Resolves when a request that fits has succeeded at the service; its answer is never passed on. */
  hold(fits: (request: IncomingMessage) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy before the service at an address. */
export async function startHoldingProxy(service: string): Promise<HoldingProxy> {
  let held: { fits: (request: IncomingMessage) => boolean; arrived: () => void } | undefined;
  const server = createServer((request, response) => {
    pass(service, request, (answer) => {
      const taken = (answer.statusCode ?? 0) < 300 && held?.fits(request) === true ? held : undefined;
      if (taken !== undefined) held = undefined;
      if (taken === undefined) forward(answer, response);
      else answer.resume().on('end', taken.arrived);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    hold: (fits) => new Promise((arrived) => (held = { fits, arrived })),
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
  // The client was killed: its service has heard enough.
  onward.on('error', () => request.destroy());
  request.pipe(onward);
}

function forward(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}
