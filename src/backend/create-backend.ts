import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { FastifyInstance } from 'fastify';
import { isProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { type Service, handle } from '#http/handle.ts';
import { createHttpServer } from '#http/http-server.ts';
import { createVerify } from '#http/verify.ts';
import { bootstrapKey, hasProviderKey } from './accounts/api-keys.ts';
import type { Agent } from './agent/agent.ts';
import type { BrowserHost } from './browsers/host.ts';
import type { Clock } from './clock/clock.ts';
import { type Engine, createEngine } from './engine/create-engine.ts';
import type { EngineLimits } from './engine/parts.ts';
import { addPublicRoutes } from './public/routes.ts';
import { createAddressSigner } from './public/signed-address.ts';
import { signingSecret } from './public/signing-secret.ts';
import { authenticate } from './server/authenticate.ts';
import { bindV3 } from './server/bind-v3.ts';
import { addDocumentRoutes } from './server/document-routes.ts';
import { createDiskBlobs } from './storage/blobs.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { type Caller, createAddresses } from './v3/caller.ts';

/** Everything that varies between one service and another. */
export interface BackendOptions {
  /** Folder of the database, the blobs and the signing secret. */
  readonly dataFolder: string;
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
  const db = await openDatabase(join(dataFolder, 'svc.sqlite'));
  const blobs = createDiskBlobs(join(dataFolder, 'blobs'));
  const addKey = (key: string): Promise<void> => bootstrapKey(db, key, { newId: randomUUID, now: clock.now() });
  for (const key of options.bootstrapKeys) await addKey(key);
  const engine = await createEngine({
    ...options,
    db,
    blobs,
    newId: randomUUID,
    newToken: () => randomBytes(24).toString('base64url'),
  });

  let publicUrl = options.publicUrl?.replace(/\/+$/, '');
  const addresses = createAddresses({
    publicUrl: () => publicUrl ?? '',
    signer,
    now: () => clock.now(),
    screenshotLifetimeMs: limitOf(rules, 'screenshotUrlLifetime'),
  });
  const service: Service<Caller> = {
    routes: bindV3(),
    rules,
    verify: createVerify(options.verifyEveryNth),
    async authenticate(request) {
      const principal = await authenticate(db, request);
      if (isProblem(principal)) return principal;
      const scope = { projectId: principal.projectId, generation: 'v3' as const };
      return {
        scope,
        engine,
        rules,
        addresses,
        hasProviderKey: (provider) => hasProviderKey(db, principal.projectId, provider),
      };
    },
  };
  const app = createHttpServer({ log, rules, answer: (request) => handle(service, request) });
  addPublicRoutes(app, { db, blobs, engine, signer, clock, rules });
  addDocumentRoutes(app);

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

function limitOf(rules: RuleBook, name: string): number {
  const row = rules.limits.limits.find((limit) => limit.limit === name);
  if (row?.value === undefined) throw new Error(`limits: no value for ${name}`);
  return row.value;
}
