import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { addDocumentRoutes } from '../http/documents/index.ts';
import type { Tracer } from '#lib/tracer.ts';
import { type Audit, type LiveDoor, createCdpGateway, createLiveGateway } from '#browsers/index.ts';
import type { Clock } from '#lib/clock.ts';
import { addPageRoutes } from '../console/index.ts';
import { addCdpRoutes } from '../public/cdp-routes.ts';
import { addFileRoutes } from '../public/file-routes.ts';
import { addFormRoutes } from '../public/form-routes.ts';
import { gatewayLimits } from '../public/gateway-limits.ts';
import { addReadyRoute } from '../public/ready-route.ts';
import { addRecordingRoute } from '../public/recording-route.ts';
import { findDoor } from '../public/live/find-door.ts';
import { liveLimits } from '../public/live/live-limits.ts';
import { addLiveRoutes } from '../public/live/live-routes.ts';
import { addPublicRoutes } from '../public/routes.ts';
import { addShareRoute } from '../public/share-route.ts';
import type { Owners } from '#cluster/index.ts';
import type { ReadReadiness } from '#platform/readiness.ts';
import { takeUpgrades } from '../public/take-upgrades.ts';
import type { AddressSigner } from '#lib/signed-url.ts';
import type { AccessTokens } from '#lib/vault.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { ServiceParts } from './create-service.ts';

/** What the addresses without a key are made of. */
export interface RouteParts
  extends Omit<
    ServiceParts,
    'keyring' | 'door' | 'profiles' | 'messages' | 'drain' | 'activeMax' | 'verifyEveryNth' | 'tracer'
  > {
  readonly blobs: Blobs;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly signer: AddressSigner;
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
export function addRoutes(app: FastifyInstance, parts: RouteParts): void {
  const { rules, log, browsers, addresses } = parts;
  const drawing = parts.tracer === undefined ? {} : { tracer: parts.tracer };
  addFileRoutes(app, parts);
  addFormRoutes(app, parts);
  addPublicRoutes(app, parts);
  addRecordingRoute(app, parts);
  addShareRoute(app, parts);
  const gateway = createCdpGateway({
    rules,
    log,
    limits: gatewayLimits(rules),
    open: (token) => browsers.open(token),
    address: (token) => addresses.cdpHere(token),
    idOf: (token) => browsers.idOf(token),
    ...(parts.audit === undefined ? {} : { audit: parts.audit }),
    ...drawing,
  });
  addCdpRoutes(app, gateway, rules);
  addLiveRoutes(app, parts);
  const open = (token: string): Promise<LiveDoor | null> => findDoor(parts, token);
  const live = createLiveGateway({ rules, log, limits: liveLimits(rules), open, ...drawing });
  takeUpgrades(app, [gateway, live]);
  if (parts.answers) addPageRoutes(app);
  addDocumentRoutes(app, () => addresses.api(''));
  addReadyRoute(app, parts.readiness);
}
