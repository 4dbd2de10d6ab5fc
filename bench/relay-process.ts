import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { WebSocketServer } from 'ws';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { chromiumFlags } from '#browsers/launch/chromium-flags.ts';

/*
 * Child process `relay-process.ts PROFILE` with the simplest relay: a Chromium on its pipe, and a websocket whose
 * messages are passed unread in both directions. The costs of this relay are the minimum of every gateway in Node. The
 * process sends its URL and ends with its parent.
 */
const screen = { width: 1280, height: 800 };
const profile = process.argv[2] ?? '';
const flags = chromiumFlags({ profile, screen, proxyPort: 9, sandbox: false, sharedMemoryOnDisk: false });
const { path } = await findChromium();
const chromium = spawn(path, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
const [toBrowser, fromBrowser] = [chromium.stdio[3], chromium.stdio[4]];
if (!(toBrowser instanceof Writable && fromBrowser instanceof Readable))
  throw new TypeError('Node opened no debugging pipe.');

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, maxPayload: 2 ** 28 });
const rest: Buffer[] = [];
server.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => toBrowser.write(Buffer.concat([data, Buffer.of(0)])));
  fromBrowser.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      socket.send(Buffer.concat([...rest.splice(0), chunk.subarray(from, end)]), { binary: false });
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  });
});
server.on('listening', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string') process.send?.(`ws://127.0.0.1:${address.port}`);
});
process.once('disconnect', () => {
  if (chromium.pid !== undefined) process.kill(-chromium.pid, 'SIGKILL');
  process.exit();
});
