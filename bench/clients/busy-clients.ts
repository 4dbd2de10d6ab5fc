import { type Socket, connect } from 'node:net';

/*
 * Child process with clients that send as fast as the server answers, over bare sockets to save processor time. It
 * receives an order, sends its report, and waits for the next order.
 */

/** Message to the client process that starts the clients. */
export interface ClientsOrder {
  readonly port: number;
  /**
   * Complete HTTP/1.1 requests. The clients send these requests in order, and start again with the first request after
   * the last.
   */
  readonly requests: readonly string[];
  /** Number of connections, each with one pending request. */
  readonly connections: number;
  /** Duration in milliseconds; with null, the clients send each request once. */
  readonly ms: number | null;
  /** HTTP status that every response must have. */
  readonly status: number;
  /** Whether the report must contain the response bodies. */
  readonly keepBodies: boolean;
}

/** Report of the client process. */
export interface ClientsReport {
  readonly answers: number;
  /** Milliseconds from the first request until every connection has received its last response. */
  readonly ms: number;
  readonly bodies: readonly string[];
  /** Description of the first response with an unexpected status, or of a connection error; null if there was none. */
  readonly fault: string | null;
}

process.on('message', (order: ClientsOrder) => {
  void work(order).then((report) => process.send?.(report));
});
// The parent process has ended.
process.once('disconnect', () => process.exit());

async function work(order: ClientsOrder): Promise<ClientsReport> {
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => open(order.port)));
  const told = { sent: 0, answers: 0, bodies: new Array<string>(), fault: null as string | null };
  const begun = performance.now();
  const isOver = (): boolean =>
    told.fault !== null ||
    (order.ms === null ? told.sent >= order.requests.length : performance.now() - begun >= order.ms);
  const one = async (socket: Socket): Promise<void> => {
    while (!isOver()) {
      const request = order.requests[told.sent % order.requests.length] ?? '';
      told.sent += 1;
      const { status, body } = await ask(socket, request);
      if (status !== order.status)
        told.fault ??= `answered ${status} where ${order.status} was expected: ${body.slice(0, 300)}`;
      told.answers += 1;
      if (order.keepBodies) told.bodies.push(body);
    }
  };
  await Promise.all(sockets.map(one)).catch((error: unknown) => (told.fault ??= String(error)));
  const ms = performance.now() - begun;
  for (const socket of sockets) socket.destroy();
  return { answers: told.answers, ms, bodies: told.bodies, fault: told.fault };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/**
 * Sends one request and resolves with the response. The response ends after the bytes that `content-length` states, or
 * with the last chunk.
 */
function ask(socket: Socket, request: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const gone = (): void => reject(new Error('a connection was closed'));
    const take = (chunk: Buffer): void => {
      // One character per byte, because lengths count bytes.
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0 || !isWhole(text, end)) return;
      socket.off('data', take).off('close', gone);
      resolve({ status: Number(text.slice(9, 12)), body: text.slice(end + 4) });
    };
    socket.on('data', take).once('close', gone);
    socket.write(request);
  });
}

function isWhole(text: string, end: number): boolean {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= end + 4 + Number(length);
}
