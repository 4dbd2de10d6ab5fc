import type { WebSocket } from 'ws';
import { measureJson, suiteLimit } from '../../core/bounds.ts';
import { userAgent } from '../node-http.ts';
import { lazyModules } from '../../core/lazy-modules.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, parseJson, textOf } from '../../core/json.ts';
import { answeredFault, CdpFault } from './cdp-fault.ts';
import type { CdpLimits } from '../../core/cdp.ts';
import { asFault, within } from './within.ts';

/** One websocket with numbered calls. */
export interface Wire {
  /** Sends a command and waits for its result. Rejects with CdpFault when the browser answers an error or the connection ends. */
  send(method: string, params: JsonObject, sessionId?: string): Promise<JsonObject>;
  /** Sends `Browser.close`; an answer, a refusal and an end of the connection are all the same to it. */
  closeBrowser(limits: CdpLimits): Promise<void>;
  /** The closing handshake of a websocket. */
  close(limits: CdpLimits): Promise<void>;
  /** Ends the TCP connection without a word. */
  drop(): void;
}

/** Opens a websocket to a CDP URL. Throws CdpFault if the browser cannot be reached. */
export async function openWire(address: string, limits: CdpLimits): Promise<Wire> {
  const socket = await openSocket(address, limits);
  const pending = new Map<number, PromiseWithResolvers<JsonObject>>();
  let ending = 'the connection was closed';
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  void closed.then(() => {
    for (const call of pending.values()) call.reject(new CdpFault(ending));
    pending.clear();
  });
  const giveUp = (reason: string): void => {
    ending = `the connection was given up: ${reason}`;
    socket.terminate();
  };
  socket.on('error', ({ message }) => {
    ending = `the connection was given up: ${message}`;
  });
  let received = 0;
  socket.on('message', (data: Buffer) => {
    received += data.length;
    const text = data.toString();
    if (received > suiteLimit('cdpAnswers')) giveUp(`its messages are longer than ${suiteLimit('cdpAnswers')} bytes`);
    else if (isTooLarge(text)) giveUp('a message is nested too deep or has too many values');
    else settle(pending, parseJson(text));
  });
  let last = 0;
  function send(method: string, params: JsonObject, sessionId?: string): Promise<JsonObject> {
    last += 1;
    const call = Promise.withResolvers<JsonObject>();
    if (socket.readyState !== socket.OPEN) call.reject(new CdpFault(ending));
    else {
      pending.set(last, call);
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    }
    return call.promise;
  }
  return {
    send,
    closeBrowser: async (bounds) => {
      const [outcome] = await Promise.allSettled([
        within({ what: 'Browser.close', call: send('Browser.close', {}) }, bounds),
      ]);
      if (outcome?.status === 'rejected' && !(outcome.reason instanceof CdpFault)) throw outcome.reason;
    },
    close: async (bounds) => {
      if (socket.readyState === socket.CLOSED) return;
      socket.close(1000);
      await within({ what: 'the closing handshake', call: closed }, bounds);
    },
    drop: () => socket.terminate(),
  };
}

/** True for JSON that would take far more memory than its text. */
function isTooLarge(text: string): boolean {
  const most = { depth: suiteLimit('answerJsonDepth'), values: suiteLimit('answerJsonValues') };
  const { depth, values } = measureJson(text, most);
  return depth > most.depth || values > most.values;
}

function settle(pending: Map<number, PromiseWithResolvers<JsonObject>>, message: JsonValue | undefined): void {
  const id = memberAt(message, 'id');
  if (typeof id !== 'number') return;
  const call = pending.get(id);
  pending.delete(id);
  const error = memberAt(message, 'error');
  const result = memberAt(message, 'result');
  if (error === undefined) call?.resolve(isJsonObject(result) ? result : {});
  else call?.reject(answeredFault(memberAt(error, 'code'), textOf(memberAt(error, 'message') ?? error)));
}

async function openSocket(address: string, limits: CdpLimits): Promise<WebSocket> {
  const socket = createSocket(address, limits);
  const opened = Promise.withResolvers<WebSocket>();
  socket.once('open', () => opened.resolve(socket));
  // It stays for the life of the socket: an error of an open one is followed by its close.
  socket.on('error', (error) => opened.reject(error));
  try {
    return await within({ what: 'the websocket', call: opened.promise }, limits);
  } catch (error) {
    socket.terminate();
    throw error;
  }
}

function createSocket(address: string, { timeoutMs }: CdpLimits): WebSocket {
  try {
    const ws = lazyModules.webSocket();
    return new ws.WebSocket(address, {
      perMessageDeflate: false,
      handshakeTimeout: timeoutMs,
      maxPayload: suiteLimit('cdpAnswer'),
      headers: { 'user-agent': userAgent },
    });
  } catch (error) {
    throw asFault('the websocket', error);
  }
}
