import type { RawData, WebSocket } from 'ws';
import type { RuleBook } from '#contract/rule-book.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpClient, CdpMessage } from '../pipe/cdp-client.ts';
import type { ClientAudit, Outcome } from './audit.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { CdpPolicy, Verdict } from './policy.ts';
import { type Command, readCommand, type Reading, readLargeCommand } from './read-command.ts';
import { boundPeers, type Peer, type Seat, shut } from './sockets.ts';

/** Dependencies of the connection between a websocket of a client and its DevTools session. */
export interface ClientDeps {
  readonly socket: WebSocket;
  /** The browser, and the DevTools session of this client. */
  readonly seat: Seat;
  /** All DevTools connections of the browser, including this connection. */
  readonly peers: ReadonlySet<Peer>;
  readonly policy: CdpPolicy;
  readonly table: RuleBook['cdpPolicy'];
  readonly limits: GatewayLimits;
  readonly audit: ClientAudit;
  readonly log: HostLog;
}

/** Options that send bytes as a text frame, because DevTools messages are text. */
const asText = { binary: false };

/**
 * Forwards messages between a websocket and its DevTools session. Closes the session when the websocket closes, and the
 * websocket when the browser ends.
 */
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
 * Handles one message of the client; an error closes only this client's connection. If the next message must wait,
 * returns a promise to wait for, otherwise null.
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
 * Handles one parsed message; ignores it when the connection is closing. If the next message must wait, returns a
 * promise to wait for, otherwise null.
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
  if (verdict.kind === 'answer') return verdict.reply.error === undefined ? 'answered' : 'refused';
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
 * Sends bytes to the client. Disconnects a client that has left too many bytes unread, to protect memory and other
 * clients. Always returns null: the next message need not wait.
 */
function sendBytes(deps: ClientDeps, bytes: Buffer): null {
  const { socket, limits } = deps;
  if (socket.readyState !== socket.OPEN) return null;
  const waiting = socket.bufferedAmount;
  if (waiting > 0 && waiting + bytes.length > limits.backlogBytesMax) shut(deps, 'tooSlow');
  else socket.send(bytes, asText);
  boundPeers(deps);
  return null;
}

/**
 * Passes each message of a websocket to `handle`, in order. After a batch of messages or bytes, reading pauses until
 * the next event-loop tick. If `handle` returns a promise, reading pauses until it resolves.
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
