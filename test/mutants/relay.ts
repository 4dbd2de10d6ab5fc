import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { isJsonObject } from '#lib/json.ts';
import type { SocketTamper } from './mutant.ts';

/** Passes CDP connections to a good server. */
export interface Relay {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends every connection. */
  close(): void;
}

/** Creates a relay to the server at a URL. */
export function createRelay(target: string, tamper: SocketTamper): Relay {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const paths = new Map<WebSocket, string>();
  const good = target.replace(/^http/, 'ws');

  async function connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const path = request.url ?? '/';
    const connected = [...paths.values()].filter((other) => other === path).length;
    const userAgent = request.headers['user-agent'] ?? '';
    const way = (await tamper.open?.({ path, userAgent, connected })) ?? true;
    const upstream = way === false ? undefined : await opened(`${good}${way === true ? path : way}`);
    if (upstream === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    server.handleUpgrade(request, socket, head, (client) => {
      paths.set(client, path);
      tamper.attached?.(path, () => client.terminate());
      join({ client, upstream, path, tamper });
      client.on('close', () => paths.delete(client));
    });
  }

  return {
    upgrade: (request, socket, head) => {
      connect(request, socket, head).catch(() => socket.destroy());
    },
    close: () => {
      for (const client of paths.keys()) client.terminate();
      server.close();
    },
  };
}

interface Pair {
  client: WebSocket;
  upstream: WebSocket;
  path: string;
  tamper: SocketTamper;
}

function join({ client, upstream, path, tamper }: Pair): void {
  let endedByServer = false;
  client.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text.length > (tamper.largest ?? Number.POSITIVE_INFINITY)) {
      client.close(1009);
      return;
    }
    const message: unknown = JSON.parse(text);
    if (isJsonObject(message)) tamper.command?.(path, String(message['method']));
    const rewritten = isJsonObject(message) ? tamper.rewrite?.(message) : undefined;
    upstream.send(rewritten === undefined ? text : JSON.stringify(rewritten));
  });
  upstream.on('message', (data: Buffer) => client.send(data.toString()));
  client.on('close', (code) => {
    if (endedByServer) return;
    tamper.closed?.(path, code);
    if (code === 1006) upstream.terminate();
    else upstream.close();
  });
  upstream.on('close', () => {
    endedByServer = client.readyState === WebSocket.OPEN;
    client.close();
  });
  for (const socket of [client, upstream]) socket.on('error', () => socket.terminate());
}

/** Opens a WebSocket connection to an address. Resolves to undefined if the connection fails. */
function opened(address: string): Promise<WebSocket | undefined> {
  const upstream = new WebSocket(address, { perMessageDeflate: false });
  return new Promise((resolve) => {
    upstream.once('open', () => resolve(upstream));
    upstream.once('error', () => resolve(undefined));
  });
}
