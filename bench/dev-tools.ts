/** A DevTools command, on the root session by default. */
export interface DevToolsCommand {
  readonly method: string;
  readonly params?: object;
  readonly sessionId?: string;
}

/** An event that the browser sends. */
export interface DevToolsEvent {
  readonly params: object;
}

/** A minimal DevTools client. */
export interface DevTools {
  /** Sends a command and resolves with its result; rejects with its error, or if the connection ends. */
  send(command: DevToolsCommand): Promise<object>;
  /** Calls `listener` with each event of this method. The returned function ends the calls. */
  listen(method: string, listener: (event: DevToolsEvent) => void): () => void;
  close(): void;
}

/** Connects to a websocket URL; rejects on failure. */
export async function connectDevTools(address: string): Promise<DevTools> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`cannot connect to ${address}`)), { once: true });
  });
  const waiting = new Map<number, PromiseWithResolvers<object>>();
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (!isObject(message)) return;
    if ('method' in message) return emit(message);
    if (!('id' in message)) return;
    const reply = waiting.get(Number(message.id));
    waiting.delete(Number(message.id));
    if ('result' in message && message.result instanceof Object) reply?.resolve(message.result);
    else reply?.reject(new Error(String(data).slice(0, 300)));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection was closed'));
  });
  let lastId = 0;
  const listeners = new Set<{ readonly method: string; readonly listener: (event: DevToolsEvent) => void }>();
  const emit = (message: object): void => {
    const params = 'params' in message && isObject(message.params) ? message.params : {};
    for (const { method, listener } of listeners)
      if ('method' in message && message.method === method) listener({ params });
  };
  return {
    send(command) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the connection is closed'));
      lastId += 1;
      const reply = Promise.withResolvers<object>();
      waiting.set(lastId, reply);
      socket.send(JSON.stringify({ id: lastId, ...command }));
      return reply.promise;
    },
    listen(method, listener) {
      const entry = { method, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    close: () => socket.close(),
  };
}

/** Attaches to the first page of a browser; returns the id of the DevTools session. */
export async function attachToPage(client: DevTools): Promise<string> {
  const targets = await client.send({ method: 'Target.getTargets' });
  const infos: unknown[] = 'targetInfos' in targets && Array.isArray(targets.targetInfos) ? targets.targetInfos : [];
  const page = infos.filter(isObject).find((info) => 'type' in info && info.type === 'page');
  if (page === undefined || !('targetId' in page)) throw new Error('the browser has no page');
  const params = { targetId: page.targetId, flatten: true };
  const attached = await client.send({ method: 'Target.attachToTarget', params });
  return 'sessionId' in attached ? String(attached.sessionId) : '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
