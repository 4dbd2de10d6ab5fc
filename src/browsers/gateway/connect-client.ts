import type { RawData, WebSocket } from 'ws';
import type { RuleBook } from '#contract/rule-book.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpClient, CdpMessage } from '../pipe/cdp-client.ts';
import type { ClientAudit, Outcome } from './audit.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { CdpPolicy, Verdict } from './policy.ts';
import { type Command, readCommand, type Reading, readLargeCommand } from './read-command.ts';
import { boundPeers, type Peer, type Seat, shut } from './sockets.ts';

/** A connection and its browser. */
export interface ClientDeps {
  readonly socket: WebSocket;
  readonly seat: Seat;
  /** All connections of the browser, including this one. */
  readonly peers: ReadonlySet<Peer>;
  readonly policy: CdpPolicy;
  readonly table: RuleBook['cdpPolicy'];
  readonly limits: GatewayLimits;
  readonly audit: ClientAudit;
  readonly log: HostLog;
}

/** Options that send bytes as a text frame, because DevTools messages are text. */
const AS_TEXT = { binary: false };

/** Connects a websocket to its DevTools session until one of the two ends; the session is closed with the websocket. */
export function connectClient(deps: ClientDeps): void {
  const { socket, seat, log } = deps;
  socket.on('error', (error) => log.info({ err: error }, 'a DevTools connection broke'));
  socket.once('close', () => leaveSeat(seat, log));
  seat.occupy({
    message: (message) => send(deps, message),
    unread: (bytes) => sendBytes(deps, bytes),
    closed: (reason) => shut(deps, 'ended', { reason }),
  });
  readInTurns(socket, deps.limits, (bytes) => receiveSafely(deps, bytes));
}

/** Closes a DevTools session in the background, also when its browser has ended. Failures are logged. */
export function leaveSeat({ client }: Seat, log: HostLog): void {
  client.close().catch((error: unknown) => log.warn({ err: error }, 'a DevTools client could not be detached'));
}

/**
 * Handles one message; an error closes only this client's connection. Returns a promise that the next message must wait
 * for; null if it need not wait.
 */
function receiveSafely(deps: ClientDeps, bytes: Buffer): Promise<void> | null {
  const fail = (error: unknown): null => {
    deps.log.warn({ err: error }, 'a DevTools message could not be handled');
    shut(deps, 'notHandled');
    return null;
  };
  try {
    if (bytes.length <= deps.limits.commandBytesMax) return receive(deps, readCommand(bytes, deps));
    return readLargeCommand(bytes, deps)
      .then((reading) => receive(deps, reading))
      .then(undefined, (error: unknown) => void fail(error));
  } catch (error) {
    return fail(error);
  }
}

/**
 * Handles one parsed message; ignores it when the connection is closing. Returns a promise that the next message must
 * wait for; null if it need not wait.
 */
function receive(deps: ClientDeps, reading: Reading): Promise<void> | null {
  const { socket, seat, policy, audit } = deps;
  if (socket.readyState !== socket.OPEN) return null;
  if ('error' in reading) {
    audit.message('malformed');
    return send(deps, reading.error);
  }
  const verdict = policy.judge(reading.command, seat.browser);
  audit.message(getOutcome(reading.command, verdict), reading.command);
  if (verdict.kind === 'pass') return pass(deps, seat.client, verdict.command);
  send(deps, verdict.reply);
  if (verdict.detach) shut(deps, 'detached');
  return null;
}

function getOutcome(command: Command, verdict: Verdict): Outcome {
  if (verdict.kind === 'answer') return verdict.detach ? 'answered' : 'refused';
  return verdict.command === command ? 'passed' : 'rewritten';
}

/**
 * Forwards a command to the browser. Returns a promise to wait for while the browser's pipe is full, else null.
 * Disconnects a client with too many unanswered commands.
 */
function pass(deps: ClientDeps, client: CdpClient, command: Command): Promise<void> | null {
  if (client.unanswered() >= deps.limits.unansweredMax) {
    shut(deps, 'tooMuchUnanswered');
    return null;
  }
  client.send(command);
  return client.ready();
}

function send(deps: ClientDeps, message: CdpMessage): null {
  return sendBytes(deps, Buffer.from(JSON.stringify(message)));
}

/**
 * Sends bytes to the client. Disconnects a client with too many unread bytes, to protect memory and other clients.
 * Returns null because nothing waits for the transmission.
 */
function sendBytes(deps: ClientDeps, bytes: Buffer): null {
  const { socket, limits } = deps;
  if (socket.readyState !== socket.OPEN) return null;
  const waiting = socket.bufferedAmount;
  if (waiting > 0 && waiting + bytes.length > limits.backlogBytesMax) shut(deps, 'tooSlow');
  else socket.send(bytes, AS_TEXT);
  boundPeers(deps);
  return null;
}

/**
 * Handles messages in order, in batches within the limits. Reading pauses between batches. A promise returned by
 * `handle` delays the next message.
 */
export function readInTurns(
  socket: WebSocket,
  limits: Pick<GatewayLimits, 'turnMessagesMax' | 'turnBytesMax'>,
  handle: (bytes: Buffer) => Promise<void> | null,
): void {
  const waiting: Buffer[] = [];
  let isWaiting = false;
  const wait = (): void => {
    isWaiting = true;
    socket.pause();
  };
  const goOn = (): void => {
    isWaiting = false;
    turn();
    if (!isWaiting) socket.resume();
  };
  const turn = (): void => {
    let [messages, bytes] = [0, 0];
    for (let data = waiting.shift(); data !== undefined; data = waiting.shift()) {
      messages += 1;
      bytes += data.length;
      const busy = handle(data);
      if (busy !== null) {
        wait();
        // The promise resolves when the browser reads again or has ended; it never rejects.
        return void busy.then(goOn);
      }
      if (messages >= limits.turnMessagesMax || bytes >= limits.turnBytesMax) {
        wait();
        return void setImmediate(goOn);
      }
    }
  };
  // One network read can hold many messages; those that arrive while paused wait here.
  socket.on('message', (data) => {
    waiting.push(getBytes(data));
    if (!isWaiting) turn();
  });
}

function getBytes(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
