import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Tracer } from '#lib/tracer.ts';
import { traceConnection } from '../gateway/trace-connection.ts';
import { createWebSocketEndpoint, type Upgrade } from '../gateway/websocket-endpoint.ts';
import type { HostLog } from '../host-log.ts';
import { connectViewer, report } from './connect-viewer.ts';
import type { LiveAccess, LiveLimits } from './live-access.ts';

/** Dependencies of the gateway for viewers. */
export interface LiveGatewayOptions {
  /** Returns the access to a live view that a token grants; null for an unknown or expired token. */
  readonly open: (token: string) => Promise<LiveAccess | null>;
  readonly rules: RuleBook;
  readonly limits: LiveLimits;
  readonly log: HostLog;
  /** Records traces of connections. @defaultValue none */
  readonly tracer?: Pick<Tracer, 'request'>;
}

/** The websocket gateway for viewers of live views. */
export interface LiveGateway {
  /** Returns whether the path of an upgrade request is that of a live view. */
  takes(request: IncomingMessage): boolean;
  /**
   * Connects a viewer, or answers the request with an HTTP error. Does not check the Origin header, because the token
   * alone grants access.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection; idempotent. */
  close(): Promise<void>;
}

const addressPattern = /^\/live\/([A-Za-z0-9_-]{1,128})\/socket$/;

/** Creates the gateway for viewers. */
export function createLiveGateway({ open, rules, limits, log, tracer }: LiveGatewayOptions): LiveGateway {
  const { cdpPolicy: table } = rules;
  const viewers = new Map<string, number>();
  const admit = async (upgrade: Upgrade): Promise<void> => {
    const { request } = upgrade;
    const access = endpoint.isClosed() ? null : await open(getToken(request) ?? '');
    if (endpoint.isClosed() || access === null) return endpoint.refuse(upgrade, problem('route_not_found', {}));
    const active = viewers.get(access.key) ?? 0;
    const limit = String(limits.viewersMax);
    if (active >= limits.viewersMax)
      return endpoint.refuse(upgrade, problem('too_many_clients', { active: String(active), limit }));
    endpoint.accept(upgrade, (viewer) => {
      const facts = { [`svc.${access.kind}.id`]: access.key, 'svc.live.mode': access.mode };
      traceConnection(tracer, { request, socket: viewer, name: 'live viewer', facts });
      count(viewers, access.key, viewer);
      void connectViewer({ socket: viewer, access, limits, table, log });
    });
  };
  const endpoint = createWebSocketEndpoint({ rules, limits, log, client: 'viewer', admit });
  // Pages cannot send pings. A page that receives nothing for long assumes a lost connection.
  const timer = setInterval(() => {
    for (const socket of endpoint.clients) report({ socket, limits, table }, { type: 'alive' });
  }, limits.aliveIntervalMs);
  return {
    takes: (request) => getToken(request) !== null,
    upgrade: (request, socket, head) => endpoint.upgrade(request, socket, head),
    async close() {
      clearInterval(timer);
      await endpoint.close();
    },
  };
}

function getToken({ url }: IncomingMessage): string | null {
  const [path = ''] = (url ?? '').split('?', 1);
  return addressPattern.exec(path)?.[1] ?? null;
}

function count(viewers: Map<string, number>, key: string, viewer: WebSocket): void {
  viewers.set(key, (viewers.get(key) ?? 0) + 1);
  viewer.once('close', () => {
    const left = (viewers.get(key) ?? 1) - 1;
    if (left === 0) viewers.delete(key);
    else viewers.set(key, left);
  });
}
