import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Audit, createCdpGateway, createLiveGateway, type LiveAccess } from '#browsers/index.ts';
import type { Owners } from '#cluster/owners.ts';
import type { Clock } from '#lib/clock.ts';
import type { UrlSigner } from '#lib/signed-url.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { AccessTokens } from '#lib/vault.ts';
import type { ReadReadiness } from '#platform/readiness.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { addPageRoutes } from '../console/page-routes.ts';
import { addDocumentRoutes } from '../http/documents/index.ts';
import { addCdpRoutes, gatewayLimits } from '../public/cdp-routes.ts';
import { addFileRoutes } from '../public/file-routes.ts';
import { addFormRoutes } from '../public/form-routes.ts';
import { addLiveRoutes, findLiveAccess, liveLimits } from '../public/live-routes.ts';
import { addRecordingRoute } from '../public/recording-route.ts';
import { addPublicRoutes, addReadyRoute } from '../public/routes.ts';
import { addShareRoute } from '../public/share-route.ts';
import type { ServiceDeps } from './create-service.ts';

/** What the addresses without a key are made of. */
export interface RouteDeps
  extends Omit<
    ServiceDeps,
    'keyring' | 'consoleGuard' | 'profiles' | 'messages' | 'drain' | 'activeMax' | 'verifyEveryNth' | 'tracer'
  > {
  readonly blobs: Blobs;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly signer: UrlSigner;
  readonly clock: Clock;
  readonly readiness: ReadReadiness;
  readonly owners: Pick<Owners, 'isElsewhere'>;
  readonly audit?: Audit;
  readonly tracer?: Tracer;
  /** Whether it answers requests, so that its console leads somewhere. */
  readonly answers: boolean;
  readonly log: Logger;
}

/** Everything that answers without a key: what carries its own right to be read, the DevTools gateway and the documents. */
export function addRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { rules, log, browsers, addresses } = deps;
  const drawing = deps.tracer === undefined ? {} : { tracer: deps.tracer };
  addFileRoutes(app, deps);
  addFormRoutes(app, deps);
  addPublicRoutes(app, deps);
  addRecordingRoute(app, deps);
  addShareRoute(app, deps);
  const gateway = createCdpGateway({
    rules,
    log,
    limits: gatewayLimits(rules),
    open: (token) => browsers.open(token),
    address: (token) => addresses.cdpHere(token),
    idOf: (token) => browsers.idOf(token),
    ...(deps.audit === undefined ? {} : { audit: deps.audit }),
    ...drawing,
  });
  addCdpRoutes(app, gateway, rules);
  addLiveRoutes(app, deps);
  const open = (token: string): Promise<LiveAccess | null> => findLiveAccess(deps, token);
  const live = createLiveGateway({ rules, log, limits: liveLimits(rules), open, ...drawing });
  takeUpgrades(app, [gateway, live]);
  if (deps.answers) addPageRoutes(app);
  addDocumentRoutes(app, () => addresses.api(''));
  addReadyRoute(app, deps.readiness);
}

/** A way in for websockets. */
export interface UpgradeHandler {
  /** Whether a request is for this door, whoever may have made it. */
  takes(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends every connection; idempotent. */
  close(): Promise<void>;
}

/** Hands each upgrade request to the door that takes it. */
function takeUpgrades(app: FastifyInstance, doors: readonly UpgradeHandler[]): void {
  const doorOf = (request: IncomingMessage): UpgradeHandler | undefined => doors.find((door) => door.takes(request));
  // Only what a door takes becomes an upgrade. Other requests may offer one too, for example `Upgrade: h2c`, which some clients
  // send with every request: they are answered as what they are.
  const shouldUpgradeCallback = (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' && doorOf(request) !== undefined;
  Object.assign(app.server, { shouldUpgradeCallback });
  app.server.on('upgrade', (request, socket, head) => doorOf(request)?.upgrade(request, socket, head));
  // Before the server closes, which waits for every connection to end.
  for (const door of doors) app.addHook('preClose', () => door.close());
}
