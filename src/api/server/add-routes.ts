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

/** Dependencies of the routes without a key. */
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
  /** Whether this process serves API requests, which the console needs. */
  readonly answers: boolean;
  readonly log: Logger;
}

/**
 * Adds all routes that require no API key: pages and files with signed URLs or access tokens, DevTools and live view,
 * the documents, /readyz, and the console page if this process serves API requests.
 */
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
    findBrowserId: (token) => browsers.findBrowserId(token),
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

/** A handler of websocket upgrades for certain paths. */
export interface UpgradeHandler {
  /** Returns whether this handler is responsible for a request, regardless of authentication. */
  takes(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Passes each websocket upgrade to the handler of its path. A request without a handler is answered as an ordinary
 * request.
 */
function takeUpgrades(app: FastifyInstance, handlers: readonly UpgradeHandler[]): void {
  const findHandler = (request: IncomingMessage): UpgradeHandler | undefined =>
    handlers.find((handler) => handler.takes(request));
  // Only requests of a handler become upgrades. Other requests may offer an upgrade too, such as `Upgrade: h2c`, which
  // some clients send with every request: they are handled as ordinary requests.
  const shouldUpgradeCallback = (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' && findHandler(request) !== undefined;
  Object.assign(app.server, { shouldUpgradeCallback });
  app.server.on('upgrade', (request, socket, head) => findHandler(request)?.upgrade(request, socket, head));
  // Runs before the server closes, which waits for all connections.
  for (const door of handlers) app.addHook('preClose', () => door.close());
}
