import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createPeer, type Peer } from './sockets.ts';

let http: Server;
let sockets: WebSocketServer;
let client: WebSocket;
let peer: Peer;
let got: string[];

beforeEach(async () => {
  http = createServer();
  sockets = new WebSocketServer({ noServer: true });
  got = [];
  const joined = Promise.withResolvers<void>();
  http.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (server) => {
      peer = createPeer(server, request.socket);
      server.on('message', (data) => got.push(String(data)));
      joined.resolve();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  client = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  await Promise.all([once(client, 'open'), joined.promise]);
});
afterEach(async () => {
  client.terminate();
  sockets.close();
  http.close();
  await once(http, 'close');
});

test('what a client has sent of a message counts until the message is complete', async () => {
  client.send('whole');
  await expect.poll(() => got).toEqual(['whole']);
  expect(peer.kept()).toBe(0);
  client.send('x'.repeat(1_000), { fin: false });
  await expect.poll(() => peer.kept()).toBeGreaterThan(1_000);
  client.send('the end', { fin: true });
  await expect.poll(() => got).toHaveLength(2);
  expect(peer.kept()).toBe(0);
});
