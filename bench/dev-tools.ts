/** A DevTools command, on the root session by default. */
export interface DevToolsCommand {
  readonly method: string;
  readonly params?: object;
  readonly sessionId?: string;
}

/** A minimal DevTools client. */
export interface DevTools {
  /** Sends a command and resolves with its result; rejects with its error, or if the connection ends. */
  send(command: DevToolsCommand): Promise<object>;
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
    if (typeof message !== 'object' || message === null || !('id' in message)) return;
    const reply = waiting.get(Number(message.id));
    waiting.delete(Number(message.id));
    if ('result' in message && message.result instanceof Object) reply?.resolve(message.result);
    else reply?.reject(new Error(String(data).slice(0, 300)));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection was closed'));
  });
  let lastId = 0;
  return {
    send(command) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the connection is closed'));
      lastId += 1;
      const reply = Promise.withResolvers<object>();
      waiting.set(lastId, reply);
      socket.send(JSON.stringify({ id: lastId, ...command }));
      return reply.promise;
    },
    close: () => socket.close(),
  };
}
