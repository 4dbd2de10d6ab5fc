import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { FastifyInstance } from 'fastify';
import type { RuleBook } from '#domain/rule-book.ts';
import { addDocumentRoutes } from '#http/documents/index.ts';
import { handle } from '#http/handle.ts';
import { createHttpServer } from '#http/http-server.ts';
import { trackAnswers } from '#http/track-answers.ts';
import { type Grant, bootstrapKey } from './accounts/api-keys.ts';
import type { Agent } from './agent/agent.ts';
import type { BrowserHost } from './browsers/host.ts';
import { createCdpGateway } from './browsers/index.ts';
import type { Clock } from './clock/clock.ts';
import { type Engine, createEngine } from './engine/create-engine.ts';
import type { EngineLimits } from './engine/parts.ts';
import { createProfiles } from './profiles/index.ts';
import { createMessages } from './messages/index.ts';
import { addCdpRoutes } from './public/cdp-routes.ts';
import { addFileRoutes } from './public/file-routes.ts';
import { addFormRoutes } from './public/form-routes.ts';
import { gatewayLimits } from './public/gateway-limits.ts';
import { addShareRoute } from './public/share-route.ts';
import { addPublicRoutes } from './public/routes.ts';
import { createAddressSigner } from './public/signed-address.ts';
import { createVault } from './secrets/index.ts';
import { sealingSecret, signingSecret } from './public/signing-secret.ts';
import { createService } from './server/create-service.ts';
import { type AddressLifetimes, createAddresses } from './shared/addresses.ts';
import { limitOf } from './shared/limit-of.ts';
import { createShares } from './shares/index.ts';
import { createStandaloneBrowsers } from './standalone/index.ts';
import type { Blobs } from './storage/blobs.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { createDiskBlobs } from './storage/disk-blobs.ts';
import { createWorkspaces } from './workspaces/index.ts';

/** Everything that varies between one service and another. */
export interface BackendOptions {
  /** Folder of the database and the signing secret. */
  readonly dataFolder: string;
  /** Where pictures and files are kept; whoever opened it closes it. @defaultValue files below the data folder */
  readonly blobs?: Blobs;
  readonly host: BrowserHost;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly rules: RuleBook;
  readonly limits: EngineLimits;
  readonly log: Logger;
  /** Every address that is handed out starts with it; without it, with the address that is listened on. */
  readonly publicUrl?: string;
  /** Each makes a project of its own, unless it is known already. */
  readonly bootstrapKeys: readonly string[];
  /** What the projects of the keys above and of every key added later are given. @defaultValue nothing */
  readonly grant?: Grant;
  /** Every n-th answer is checked against its document; 1 checks all. */
  readonly verifyEveryNth: number;
}

/** A running service. */
export interface Backend {
  readonly app: FastifyInstance;
  readonly engine: Engine;
  readonly db: Database;
  /** Makes a project for a key; without effect on a known key. */
  addKey(key: string): Promise<void>;
  /** Accepts requests from now on; answers the address. Port 0 takes a free one. */
  listen(options: { host: string; port: number }): Promise<string>;
  /** Ends everything that was started: requests, tasks, browsers, timers, files. */
  close(): Promise<void>;
}

/** Builds the reference backend: options in, a service that is ready to listen out. */
export async function createBackend(options: BackendOptions): Promise<Backend> {
  const { dataFolder, clock, rules, log } = options;
  const signer = createAddressSigner(signingSecret(dataFolder));
  const vault = createVault(sealingSecret(dataFolder));
  const db = await openDatabase(join(dataFolder, 'svc.sqlite'));
  const blobs = options.blobs ?? createDiskBlobs(join(dataFolder, 'blobs'));
  const addKey = (key: string): Promise<void> =>
    bootstrapKey(db, key, { newId: randomUUID, now: clock.now(), grant: options.grant ?? {} });
  for (const key of options.bootstrapKeys) await addKey(key);
  const newToken = (): string => randomBytes(24).toString('base64url');
  // Before the engine, which puts pictures of its own on the list of loose blobs that is worked off here.
  const { uploadMs: uploadLifetimeMs } = lifetimesOf(rules);
  const workspaceLimits = { bytesMax: limitOf(rules, 'workspaceBytes'), uploadLifetimeMs };
  const workspaces = await createWorkspaces({ db, blobs, clock, log, newId: randomUUID, limits: workspaceLimits });
  const shared = { db, blobs, workspaces, vault, newId: randomUUID, newToken };
  const engine = await createEngine({ ...options, ...shared });
  const activeMax = options.limits.activeSessionsMax;
  const browsers = createStandaloneBrowsers({ ...options, ...shared, activeMax });

  let publicUrl = options.publicUrl?.replace(/\/+$/, '');
  const addresses = createAddresses({
    publicUrl: () => publicUrl ?? '',
    signer,
    now: () => clock.now(),
    lifetimes: lifetimesOf(rules),
  });
  const profiles = createProfiles({ db, clock, newId: randomUUID });
  const messages = createMessages(db);
  const shares = createShares({ db, clock, newToken });
  const parts = { db, engine, browsers, workspaces, profiles, messages, shares, addresses, activeMax };
  const service = createService({ ...options, ...parts });
  const app = createHttpServer({ log, rules, answer: (request) => handle(service, request) });
  const answered = trackAnswers(app);
  addFileRoutes(app, { workspaces, browsers, signer, clock, rules });
  addFormRoutes(app, { workspaces, browsers, signer, clock, rules });
  addPublicRoutes(app, { db, blobs, engine, browsers, signer, clock, rules });
  addShareRoute(app, { shares, rules });
  const gateway = createCdpGateway({
    rules,
    log,
    limits: gatewayLimits(rules),
    open: (token) => browsers.open(token),
    address: (token) => addresses.cdp(token),
  });
  addCdpRoutes(app, gateway, rules);
  addDocumentRoutes(app);
  // Before the server closes, which cuts every connection: whoever waits for a browser is told that it did not start.
  app.addHook('preClose', () => browsers.close());
  app.addHook('preClose', answered);

  return {
    app,
    engine,
    db,
    addKey,
    async listen({ host, port }) {
      const address = await app.listen({ host, port });
      publicUrl ??= address;
      return address;
    },
    async close() {
      await app.close();
      await engine.close();
      await db.destroy();
    },
  };
}

function lifetimesOf(rules: RuleBook): AddressLifetimes {
  return {
    screenshotMs: limitOf(rules, 'screenshotUrlLifetime'),
    uploadMs: limitOf(rules, 'uploadUrlLifetime'),
    formMs: limitOf(rules, 'formUploadLifetime'),
    fileMs: limitOf(rules, 'fileUrlLifetime'),
    taskLogMs: limitOf(rules, 'taskLogUrlLifetime'),
    downloadMs: limitOf(rules, 'downloadUrlLifetime'),
  };
}
