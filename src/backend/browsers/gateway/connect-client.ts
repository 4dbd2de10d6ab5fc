import type { RawData, WebSocket } from 'ws';
import type { RuleBook } from '#domain/rule-book.ts';
import type { HostedBrowser } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpClient } from '../pipe/cdp-client.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { CdpPolicy } from './policy/create-policy.ts';
import { type Command, readCommand } from './policy/read-command.ts';
import { shut } from './shut.ts';

/** One connection and what it leads to. */
export interface ClientParts {
  readonly socket: WebSocket;
  readonly browser: HostedBrowser;
  readonly policy: CdpPolicy;
  readonly table: RuleBook['cdpPolicy'];
  readonly limits: GatewayLimits;
  readonly log: HostLog;
}

/** Joins a websocket to its browser with a root session of its own, until either of them ends. Never rejects. */
export async function connectClient(parts: ClientParts): Promise<void> {
  const { socket, browser, log } = parts;
  socket.on('error', (error) => log.info({ err: error }, 'a DevTools connection broke'));
  // Nothing is read before there is somebody to hand it to.
  socket.pause();
  try {
    const client = await browser.attach({
      message: (message) => send(parts, message),
      closed: (reason) => shut(parts, 'ended', { reason }),
    });
    const detach = (): void => leave(client, log);
    socket.on('message', (data) => guarded(parts, () => receive(parts, client, textOf(data))));
    if (socket.readyState === socket.CLOSED) detach();
    else socket.once('close', detach);
  } catch (error) {
    log.warn({ err: error }, 'a DevTools client could not join');
    shut(parts, 'notJoined');
  }
  socket.resume();
}

/** What one client sends must never end the service, which a thrown error would: it ends that client. */
function guarded(parts: ClientParts, work: () => void): void {
  try {
    work();
  } catch (error) {
    // For example a message that is nested too deeply to be written again.
    parts.log.warn({ err: error }, 'a DevTools message could not be handled');
    shut(parts, 'notHandled');
  }
}

function receive(parts: ClientParts, client: CdpClient, text: string): void {
  const { socket, browser, policy, table } = parts;
  if (socket.readyState !== socket.OPEN) return;
  const reading = readCommand(text, table);
  if ('error' in reading) return send(parts, reading.error);
  const verdict = policy.judge(reading.command, browser.downloadFolder);
  if (verdict.kind === 'pass') return pass(socket, client, verdict.command);
  send(parts, verdict.reply);
  if (verdict.detach) shut(parts, 'detached');
}

/** Hands a command to the browser; a client that sends faster than the browser reads is not read from meanwhile. */
function pass(socket: WebSocket, client: CdpClient, command: Command): void {
  client.send({ ...command });
  const catchingUp = client.ready();
  if (catchingUp === null) return;
  socket.pause();
  void catchingUp.then(() => socket.resume());
}

/** A client that does not read what it asked for is given up, so that neither the others nor the memory suffer. */
function send(parts: ClientParts, message: CdpMessage): void {
  const { socket, limits } = parts;
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > limits.backlogBytesMax) return shut(parts, 'tooSlow');
  socket.send(JSON.stringify(message));
}

function leave(client: CdpClient, log: HostLog): void {
  client.close().catch((error: unknown) => log.warn({ err: error }, 'a DevTools client could not be detached'));
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
