import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** End of a connection. */
export interface Ending {
  readonly code: number;
  readonly reason: string;
}

/** A DevTools client that sends messages unchanged, without a library. */
export interface RawCdp {
  readonly socket: WebSocket;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<Ending>;
  /** Received messages, in order. */
  readonly received: readonly JsonObject[];
  /** Sends a command and returns the message that replies to it; the message contains a result or an error. */
  call(method: string, params?: JsonObject, sessionId?: string): Promise<JsonObject>;
  /** Sends a command and returns its result. Rejects if the reply is an error. */
  result(method: string, params?: JsonObject, sessionId?: string): Promise<JsonObject>;
  /**
   * Returns the first event with this name, even if it has already been received. If `sessionId` is set, the event must
   * belong to this session.
   */
  event(method: string, sessionId?: string): Promise<JsonObject>;
  /** Sends any bytes or text, and returns the next message, whatever it is. */
  next(data: string | Buffer): Promise<JsonObject>;
  /** Attaches to the browser's first page. Returns the id of the new session. */
  page(): Promise<string>;
  close(): void;
}

/** Connects to a DevTools URL. */
export async function connectRaw(address: string): Promise<RawCdp> {
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 512 * 1024 * 1024 });
  const received: JsonObject[] = [];
  const waiting: ((message: JsonObject) => boolean)[] = [];
  socket.on('message', (data: Buffer) => {
    const message: unknown = JSON.parse(data.toString());
    if (!isJsonObject(message)) throw new Error('expected an object');
    received.push(message);
    const index = waiting.findIndex((wants) => wants(message));
    if (index !== -1) waiting.splice(index, 1);
  });
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  let lastId = 0;

  const awaitMessage = (wants: (message: JsonObject) => boolean): Promise<JsonObject> => {
    const { promise, resolve: found, reject } = Promise.withResolvers<JsonObject>();
    waiting.push((message) => {
      if (!wants(message)) return false;
      found(message);
      return true;
    });
    void ended.then(({ code, reason }) => reject(new Error(`connection ended: ${code} ${reason}`)));
    return promise;
  };
  const call = (method: string, params: JsonObject = {}, sessionId?: string): Promise<JsonObject> => {
    const id = (lastId += 1);
    const reply = awaitMessage((message) => message['id'] === id);
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    return reply;
  };
  const result = async (method: string, params?: JsonObject, sessionId?: string): Promise<JsonObject> => {
    const reply = await call(method, params, sessionId);
    if (!isJsonObject(reply['result'])) throw new Error(`${method}: ${JSON.stringify(reply['error'])}`);
    return reply['result'];
  };
  return {
    socket,
    ended,
    received,
    call,
    result,
    event(method, sessionId) {
      const wanted = (message: JsonObject): boolean =>
        message['method'] === method && (sessionId === undefined || message['sessionId'] === sessionId);
      const known = received.find(wanted);
      return known === undefined ? awaitMessage(wanted) : Promise.resolve(known);
    },
    next(data) {
      const reply = awaitMessage(() => true);
      socket.send(data);
      return reply;
    },
    async page() {
      const { targetInfos } = await result('Target.getTargets');
      const page = (targetInfos as JsonObject[]).find(({ type }) => type === 'page');
      const attached = await result('Target.attachToTarget', { targetId: page?.['targetId'] ?? '', flatten: true });
      return String(attached['sessionId']);
    },
    close: () => socket.close(),
  };
}
