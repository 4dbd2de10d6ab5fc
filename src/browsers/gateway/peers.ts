import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { RuleBook } from '#contract/rule-book.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { shut } from './shut.ts';

/** One connection of a browser, as seen by what bounds them all together. */
export interface Peer {
  readonly socket: WebSocket;
  /** Bytes that the service keeps for it: what it has not read, and what it has sent of a message that is not finished. */
  kept(): number;
}

/** A websocket and the connection below it, from which what it has sent is known before a message is complete. */
export function createPeer(socket: WebSocket, stream: Pick<Socket, 'prependListener'>): Peer {
  let unfinished = 0;
  // Before the websocket, which tells within its own turn that a message is complete.
  stream.prependListener('data', ({ length }: Buffer) => {
    unfinished += length;
  });
  socket.on('message', () => {
    unfinished = 0;
  });
  return { socket, kept: () => socket.bufferedAmount + unfinished };
}

/** What the peers of one browser may have. */
export interface PeerRules {
  readonly peers: ReadonlySet<Peer>;
  readonly limits: Pick<GatewayLimits, 'browserBacklogBytesMax'>;
  readonly table: RuleBook['cdpPolicy'];
}

/** Ends the peer for which most is kept when more is kept for all of them than may be. */
export function boundPeers({ peers, limits, table }: PeerRules): void {
  let [sum, most] = [0, 0];
  let heaviest: WebSocket | null = null;
  for (const peer of peers) {
    // One that is ending gets nothing any more, and is cut after some seconds.
    if (peer.socket.readyState !== peer.socket.OPEN) continue;
    const kept = peer.kept();
    sum += kept;
    if (kept > most) [most, heaviest] = [kept, peer.socket];
  }
  if (sum > limits.browserBacklogBytesMax && heaviest !== null) shut({ socket: heaviest, table }, 'tooMuchKept');
}
