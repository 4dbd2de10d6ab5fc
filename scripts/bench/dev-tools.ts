/** The barest DevTools client: one command at a time. */
export interface DevTools {
  send(method: string): Promise<unknown>;
  close(): void;
}

/** Connects to a websocket address; rejects when it cannot. */
export async function connectDevTools(address: string): Promise<DevTools> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`cannot connect to ${address}`)), { once: true });
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (typeof message !== 'object' || message === null || !('id' in message)) return;
    waiting.get(Number(message.id))?.resolve(message);
    waiting.delete(Number(message.id));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection was closed'));
  });
  let lastId = 0;
  return {
    send(method) {
      lastId += 1;
      const reply = Promise.withResolvers<unknown>();
      waiting.set(lastId, reply);
      socket.send(JSON.stringify({ id: lastId, method }));
      return reply.promise;
    },
    close: () => socket.close(),
  };
}
