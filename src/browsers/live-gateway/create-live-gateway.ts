import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Tracer } from '#lib/tracer.ts';
import { checkHandshake, createHeartbeat, refuseUpgrade, shut } from '../gateway/sockets.ts';
import { traceConnection } from '../gateway/trace-connection.ts';
import type { HostLog } from '../host-log.ts';
import { connectViewer, report } from './connect-viewer.ts';
import type { LiveAccess, LiveLimits } from './live-access.ts';

/** Dependencies of the gateway for viewers. */
export interface LiveGatewayOptions {
  /** Returns the access of a token; null for an unknown or expired one. */
  readonly open: (token: string) => Promise<LiveAccess | null>;
  readonly rules: RuleBook;
  readonly limits: LiveLimits;
  readonly log: HostLog;
  /** Records traces of connections. @defaultValue none */
  readonly tracer?: Pick<Tracer, 'request'>;
}

/** The websocket gateway for viewers of live views. */
export interface LiveGateway {
  /** Returns whether an upgrade request belongs to this gateway. */
  takes(request: IncomingMessage): boolean;
  /**
   * Connects a viewer, or responds with a refusal. The origin of the request is not checked: the token grants access.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection; idempotent. */
  close(): Promise<void>;
}

const ADDRESS = /^\/live\/([A-Za-z0-9_-]{1,128})\/socket$/;
/** Timeout of the closing handshake, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Creates a gateway without a server of its own: the HTTP server passes upgrade requests to it. */
export function createLiveGateway({ open, rules, limits, log, tracer }: LiveGatewayOptions): LiveGateway {
  const { cdpPolicy: table } = rules;
  const server = createServer(limits);
  const heartbeat = createHeartbeat(limits);
  const pending = new Set<Duplex>();
  const viewers = new Map<string, number>();
  let closed = false;
  // Pages cannot send pings. A page that receives nothing for long assumes a lost connection.
  const timer = setInterval(() => {
    for (const socket of server.clients) report({ socket, limits, table }, { type: 'alive' });
  }, limits.aliveIntervalMs);

  const refuse = (socket: Duplex, found: Problem): void => refuseUpgrade(socket, found, rules);
  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const door = closed ? null : await open(getToken(request) ?? '');
    if (closed || door === null) return refuse(socket, problem('route_not_found', {}));
    const active = viewers.get(door.key) ?? 0;
    const limit = String(limits.viewersMax);
    if (active >= limits.viewersMax)
      return refuse(socket, problem('too_many_clients', { active: String(active), limit }));
    server.handleUpgrade(request, socket, head, (viewer) => {
      heartbeat.watch(viewer, request.socket);
      const facts = { [`svc.${door.kind}.id`]: door.key, 'svc.live.mode': door.mode };
      traceConnection(tracer, { request, socket: viewer, name: 'live viewer', facts });
      count(viewers, door.key, viewer);
      void connectViewer({ socket: viewer, door, limits, table, log });
    });
  };
  return {
    takes: (request) => getToken(request) !== null,
    upgrade(request, socket, head) {
      const lacking = checkHandshake(request);
      socket.on('error', (error) => log.info({ err: error }, 'a viewer went away early'));
      pending.add(socket);
      (lacking === null ? admit(request, socket, head) : Promise.resolve(refuse(socket, lacking)))
        .catch((error: unknown) => {
          log.warn({ err: error }, 'a viewer could not be let in');
          refuse(socket, problem('browser_not_started', {}));
        })
        .finally(() => pending.delete(socket));
    },
    async close() {
      closed = true;
      clearInterval(timer);
      heartbeat.close();
      for (const socket of pending) socket.destroy();
      await Promise.all(Array.from(server.clients, (socket) => farewell(socket, table)));
    },
  };
}

function getToken({ url }: IncomingMessage): string | null {
  const [path = ''] = (url ?? '').split('?', 1);
  return ADDRESS.exec(path)?.[1] ?? null;
}

/** Creates a websocket server without compression, because JPEG data do not shrink. */
function createServer({ messageBytesMax }: LiveLimits): WebSocketServer {
  // The typings of ws 8.19 lack closeTimeout.
  const options = {
    noServer: true,
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  return new WebSocketServer(options);
}

function count(viewers: Map<string, number>, key: string, viewer: WebSocket): void {
  viewers.set(key, (viewers.get(key) ?? 0) + 1);
  viewer.once('close', () => {
    const left = (viewers.get(key) ?? 1) - 1;
    if (left === 0) viewers.delete(key);
    else viewers.set(key, left);
  });
}

function farewell(socket: WebSocket, table: RuleBook['cdpPolicy']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  shut({ socket, table }, 'shuttingDown');
  return promise;
}
