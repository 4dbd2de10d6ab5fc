import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** A way in for websockets. */
export interface UpgradeDoor {
  /** Whether a request is for this door, whoever may have made it. */
  takes(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends every connection; idempotent. */
  close(): Promise<void>;
}

/** Hands each upgrade request to the door that takes it. */
export function takeUpgrades(app: FastifyInstance, doors: readonly UpgradeDoor[]): void {
  const doorOf = (request: IncomingMessage): UpgradeDoor | undefined => doors.find((door) => door.takes(request));
  // Only what a door takes becomes an upgrade. Other requests may offer one too, for example `Upgrade: h2c`, which some clients
  // send with every request: they are answered as what they are.
  const shouldUpgradeCallback = (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' && doorOf(request) !== undefined;
  Object.assign(app.server, { shouldUpgradeCallback });
  app.server.on('upgrade', (request, socket, head) => doorOf(request)?.upgrade(request, socket, head));
  // Before the server closes, which waits for every connection to end.
  for (const door of doors) app.addHook('preClose', () => door.close());
}
