import { type JsonObject, type JsonValue, isJsonObject, memberAt, parseJson, toText } from '../../core/json.ts';
import { CdpFault, answeredFault } from './cdp-fault.ts';
import type { CdpLimits, Connect, RawClient } from '../../core/cdp.ts';
import { asFault, releaseLimits, within } from './within.ts';
import type { WebSocket } from 'ws';
import { measureJson, suiteLimit } from '../../core/bounds.ts';
import { userAgent } from '../node-http.ts';
import { lazyModules } from '../../core/lazy-modules.ts';

/** Connects a client that uses only CDP over one websocket. Throws CdpFault if the browser cannot be reached. */
export const connectRaw: Connect<RawClient> = async (address, limits) => {
  const wire = await openWire(address, limits);
  const call: Call = (method, params = {}, sessionId) =>
    within({ what: method, call: wire.send(method, params, sessionId) }, limits);
  return {
    kind: 'raw',
    evaluate: async (mark, expression) => {
      const targetId = await findPage(call, mark);
      return targetId === undefined ? undefined : evaluateIn(call, targetId, expression);
    },
    open: async (mark) => {
      const created = await call('Target.createTarget', { url: 'about:blank' });
      await evaluateIn(call, toText(created['targetId']), markPage(mark));
    },
    ping: async () => {
      await call('Browser.getVersion');
    },
    setCookie: async ({ lasts, ...cookie }) => {
      await call('Storage.setCookies', { cookies: [{ ...cookie, path: '/', ...(lasts ? { expires: farAway } : {}) }] });
    },
    cookie: async (name, domain) => {
      const { cookies } = await call('Storage.getCookies');
      const found = (Array.isArray(cookies) ? cookies : []).find(
        (cookie) => memberAt(cookie, 'name') === name && memberAt(cookie, 'domain') === domain,
      );
      return found === undefined ? undefined : toText(memberAt(found, 'value'));
    },
    closePages: async () => {
      for (const page of await listPages(call))
        await call('Target.closeTarget', { targetId: toText(memberAt(page, 'targetId')) });
    },
    countPages: async () => String((await listPages(call)).length),
    departures: {
      leave: () => wire.close(limits),
      close: async () => {
        await wire.closeBrowser(limits);
        await wire.close(limits);
      },
      drop: async () => wire.drop(),
    },
    release: async () => {
      // Closes with a handshake, because checks judge how a target handles a dropped connection.
      await wire.close(releaseLimits()).finally(() => wire.drop());
    },
  };
};

/** Expiry of a permanent cookie in seconds: the beginning of 2100, which browsers reduce to their own maximum. */
const farAway = 4_102_444_800;

type Call = (method: string, params?: JsonObject, sessionId?: string) => Promise<JsonObject>;

async function findPage(call: Call, mark: string): Promise<string | undefined> {
  const found = (await listPages(call)).find((info) => toText(memberAt(info, 'url')).includes(mark));
  return found === undefined ? undefined : toText(memberAt(found, 'targetId'));
}

async function listPages(call: Call): Promise<JsonValue[]> {
  const { targetInfos } = await call('Target.getTargets');
  return Array.isArray(targetInfos) ? targetInfos.filter((info) => memberAt(info, 'type') === 'page') : [];
}

async function evaluateIn(call: Call, targetId: string, expression: string): Promise<string> {
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const session = toText(sessionId);
  const answer = await call('Runtime.evaluate', { expression, returnByValue: true }, session);
  await call('Target.detachFromTarget', { sessionId: session });
  if (isJsonObject(answer['exceptionDetails'])) {
    throw new CdpFault(`Runtime.evaluate failed: ${toText(memberAt(answer, 'exceptionDetails.text'))}`);
  }
  return toText(memberAt(answer, 'result.value'));
}

/** One websocket with numbered calls. */
interface Wire {
  /**
   * Sends a command and waits for its result. Rejects with CdpFault when the browser responds with an error or the
   * connection ends.
   */
  send(method: string, params: JsonObject, sessionId?: string): Promise<JsonObject>;
  /** Sends `Browser.close`. An error response, a closed connection and a timeout count as success too. */
  closeBrowser(limits: CdpLimits): Promise<void>;
  /**
   * Closes the websocket with its closing handshake; resolves at once if it is already closed. Rejects with CdpFault if
   * the handshake exceeds the timeout, and with the signal's reason if the signal aborts.
   */
  close(limits: CdpLimits): Promise<void>;
  /** Ends the TCP connection without a close frame. */
  drop(): void;
}

/** Opens a websocket to a CDP URL. Throws CdpFault if the browser cannot be reached. */
async function openWire(address: string, limits: CdpLimits): Promise<Wire> {
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
      try {
        await within({ what: 'Browser.close', call: send('Browser.close', {}) }, bounds);
      } catch (error) {
        if (!(error instanceof CdpFault)) throw error;
      }
    },
    close: async (bounds) => {
      if (socket.readyState === socket.CLOSED) return;
      socket.close(1000);
      await within({ what: 'the closing handshake', call: closed }, bounds);
    },
    drop: () => socket.terminate(),
  };
}

/**
 * Returns true for a JSON text that exceeds the limits of depth or number of values. Parsing such a text could need far
 * more memory than the text itself.
 */
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
  else call?.reject(answeredFault(memberAt(error, 'code'), toText(memberAt(error, 'message') ?? error)));
}

async function openSocket(address: string, limits: CdpLimits): Promise<WebSocket> {
  const socket = createSocket(address, limits);
  const opened = Promise.withResolvers<WebSocket>();
  socket.once('open', () => opened.resolve(socket));
  // The listener stays for the life of the socket. After an error of an open socket, the `close` event follows.
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

/**
 * Returns a JavaScript expression that sets the fragment of a page's URL to `mark`. The change is no navigation, so
 * restrictions on URL schemes do not apply.
 */
export function markPage(mark: string): string {
  return `location.hash = ${JSON.stringify(mark)}`;
}
