import { once } from 'node:events';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { FastifyInstance } from 'fastify';
import { endStates } from '#contract/lifecycle.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Around, Interrupt } from './http/hooks.ts';
import { handle } from './http/handle.ts';
import { createHttpServer } from './http/http-server.ts';
import type { HttpServerDeps } from './http/http-server-deps.ts';
import { untraced } from '#lib/tracer.ts';
import { trackAnswers } from './http/response-log.ts';
import { type Grant, bootstrapKey } from '#accounts/api-keys.ts';
import { createKeyring } from '#accounts/keyring.ts';
import type { Agent } from '#agent/agent.ts';
import { type OutputJudges, createOutputJudges } from '#agent/output/schema/create-output-judges.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import type { Integration } from '#agent/integrations/integration.ts';
import type { Skill } from '#agent/skills/skill.ts';
import type { BrowserHost } from '#browsers/host.ts';
import type { Audit } from '#browsers/index.ts';
import type { Clock } from '#lib/clock.ts';
import { type Examiner } from './console/examinations.ts';
import { openConsole } from './console/open-console.ts';
import { createDrain } from '#cluster/drain.ts';
import { type Engine, createEngine } from '#sessions/create-engine.ts';
import type { EngineLimits } from '#sessions/engine-deps.ts';
import { createProfiles } from '#accounts/profiles.ts';
import { createBrowserProfiles } from '#accounts/browser-profiles.ts';
import type { MailPlace, MailServer } from '#platform/mail/start-mail-server.ts';
import { type Mailroom, createMailroom } from '#platform/mail/create-mailroom.ts';
import { createMessages } from '#accounts/messages.ts';
import { type UrlSigner, createUrlSigner } from '#lib/signed-url.ts';
import { type AccessTokens, createAccessTokens, createVault, type Vault } from '#lib/vault.ts';
import { type ServiceSecrets, sealingSecret, signingSecret } from '#store/data-folder.ts';
import { addRoutes } from './server/add-routes.ts';
import { type OpenIntegrations, openIntegrations } from './server/open-integrations.ts';
import { answerElsewhere, startHeartbeat, limitStorageWait } from './server/process-hooks.ts';
import { type ServiceDeps, createService } from './server/create-service.ts';
import { type AddressLifetimes, createAddresses } from '#operations/common/addresses.ts';
import type { RequestContext } from '#operations/common/request-context.ts';
import { type Ids, randomIds } from '#lib/ids.ts';
import { stripEnd } from '#lib/trim-end.ts';
import { createProviderKeys } from '#accounts/provider-keys.ts';
import { type Owners } from '#cluster/owners.ts';
import { type SharedService, type Sharing, openSharing } from '#cluster/open-sharing.ts';
import type { CaptchaSolver } from '#platform/captcha-solver.ts';
import { createReadiness } from '#platform/readiness.ts';
import { createProjectSpend } from '#sessions/project-spend.ts';
import { createRecordings } from '#sessions/recordings/index.ts';
import { type Periods } from '#platform/retention/periods.ts';
import { type Sweeper, createSweeper } from '#platform/retention/sweep.ts';
import { createShares } from '#accounts/shares.ts';
import { createStandaloneBrowsers } from '#sessions/standalone/index.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { openDatabase } from '#store/open-database.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import { countTogether } from '#store/queries/counts.ts';
import { isRecordable } from '#store/queries/recordings.ts';
import { type StorageDeadline, createStorageDeadline } from '#store/storage-deadline.ts';
import { sealClearTokens } from '#store/queries/access-tokens.ts';
import { createWorkspaces } from '#accounts/workspaces/create-workspaces.ts';
import { bySpend, sameForAll } from '#accounts/balance.ts';
import type { Executor } from '#store/executor.ts';
import type { Database } from '#store/database.ts';

/** Options of a service. */
export interface BackendOptions
  extends Pick<HttpServerDeps, 'observe' | 'seen' | 'scope' | 'tracer' | 'trustedProxies' | 'isHooked'> {
  /** Folder of the database and the secret files. */
  readonly dataFolder: string;
  /**
   * Address of the database, in the form that `openDatabase` accepts. @defaultValue a SQLite file in the data folder
   */
  readonly database?: string;
  /** Maximum number of PostgreSQL connections. @defaultValue that of `openDatabase` */
  readonly connectionsMax?: number;
  /** Store of screenshots, files and recordings; its opener closes it. @defaultValue files below the data folder */
  readonly blobs?: Blobs;
  readonly host: BrowserHost;
  readonly agent: Agent;
  /** Skills of the operator. @defaultValue none */
  readonly skills?: readonly Skill[];
  /** Integrations of the operator. @defaultValue none */
  readonly configuredIntegrations?: readonly Integration[];
  /** Model providers. @defaultValue none: the offline planner executes all tasks */
  readonly models?: ModelProviders;
  readonly clock: Clock;
  readonly rules: RuleBook;
  /**
   * Country codes that requests may name, because the service has a proxy for each; other countries are refused.
   * @defaultValue null, all countries
   */
  readonly countries?: ReadonlySet<string> | null;
  /**
   * Country codes in which the service has a proxy exit; responses show no other country. @defaultValue null, all
   * countries
   */
  readonly exitCountries?: ReadonlySet<string> | null;
  /** Solver of CAPTCHAs for standalone browsers; its creator closes it. @defaultValue none */
  readonly captchaSolver?: CaptchaSolver;
  /**
   * Whether requests for a model without a provider are refused. Otherwise, the offline planner executes their tasks.
   * @defaultValue false
   */
  readonly requiresProvider?: boolean;
  /**
   * Limits of sessions. With `by-spend` each project has the limit of its spend tier (spec/rules/pricing.yaml,
   * sessionTiers).
   */
  readonly limits: EngineLimits & { readonly activeSessionsMax: number | 'by-spend' };
  readonly log: Logger;
  /** Audit log of DevTools clients; its opener closes it. @defaultValue none */
  readonly audit?: Audit;
  /**
   * Address of the mail server, and the domain of mailboxes. @defaultValue no mail server, and sessions without mailbox
   */
  readonly mail?: MailOptions;
  /**
   * Public base URL of this process. URLs in responses start with it, or with the public URL of the process that owns
   * the resource. @defaultValue the URL at which the service listens
   */
  readonly publicUrl?: string;
  /** API keys that the service creates at its start, each with a project of its own. Existing keys stay unchanged. */
  readonly bootstrapKeys: readonly string[];
  /**
   * Settings that each start writes to the projects of the bootstrap keys. @defaultValue new projects get the defaults
   * of the service, existing projects keep their settings
   */
  readonly grant?: Grant;
  /** Maximum number of connections of one client address. @defaultValue unlimited */
  readonly connectionsPerAddress?: number;
  /**
   * Default maximum of requests per second, for a project without a limit of its own and for a client address without a
   * valid key. @defaultValue unlimited
   */
  readonly requestsPerSecond?: number;
  /** Every n-th response is validated against its document; 1 validates all. */
  readonly verifyEveryNth: number;
  /** Runner of the conformance suite against this service; its creator closes it. @defaultValue none */
  readonly examiner?: Examiner;
  /** Retention periods of old data. @defaultValue unlimited */
  readonly retention?: Periods;
  /** Settings of a service of several processes. @defaultValue a single process */
  readonly shared?: SharedService;
  /** Generator of ids and tokens. @defaultValue a random one */
  readonly ids?: Ids;
  /** Refuses valid requests, for tests. @defaultValue none */
  readonly interrupt?: Interrupt<RequestContext>;
  /** Hook around every request. @defaultValue none */
  readonly around?: Around;
  /** Secrets for signed URLs and encryption, equal in all processes. @defaultValue stored in the data folder */
  readonly secrets?: ServiceSecrets;
}

/** Mail settings of a service. */
export interface MailOptions extends MailPlace {
  /** Domain in lower case, such as `mail.example.com`. */
  readonly domain: string;
}

/** A running service. */
export interface Backend {
  readonly app: FastifyInstance;
  readonly engine: Engine;
  readonly db: Database;
  /**
   * Creates an API key with a project of its own. If the key exists, its project only receives the settings of `grant`.
   */
  addKey(key: string): Promise<void>;
  /** Starts to accept requests and returns the URL. Port 0 selects a free port. */
  listen(options: { host: string; port: number }): Promise<string>;
  /** Returns the address of the mail server; null without a mail server, and before `listen`. */
  mailPlace(): MailPlace | null;
  /**
   * Reports the service as not ready and rejects new work. Resolves when no task runs any more, or after `withinMs`. A
   * process that only serves requests always waits for `withinMs`. Pending requests and browsers continue until the
   * caller calls `close`.
   */
  drain(withinMs: number): Promise<void>;
  /** Closes everything that the service started: requests, tasks, browsers, timers, files. */
  close(): Promise<void>;
}

/** Path prefix of documented operations. */
const interfaceBase = '/api/';

/** Creates the reference backend, ready to listen. */
export async function createBackend(options: BackendOptions): Promise<Backend> {
  const { dataFolder, clock, rules, log, ids = randomIds } = options;
  const { signer, vault, tokens } = openSecrets(options);
  const storageDeadline = createStorageDeadline();
  // If a later step fails, the database is closed.
  await using opened = new AsyncDisposableStack();
  const db = await openState(options, { storageDeadline, tokens });
  opened.defer(() => db.destroy());
  const blobs = options.blobs ?? createDiskBlobs(join(dataFolder, 'blobs'));
  const addKey = (key: string): Promise<void> =>
    bootstrapKey(db, key, { newId: ids.newId, now: clock.now(), grant: options.grant ?? {} });
  for (const key of options.bootstrapKeys) await addKey(key);
  let publicUrl = options.publicUrl === undefined ? undefined : stripEnd(options.publicUrl, /\//);
  const url = (): string => publicUrl ?? '';
  const lifetimes = urlLifetimes(rules);
  const addresses = createAddresses({ publicUrl: url, signer, tokens, now: () => clock.now(), lifetimes });
  const foreign = { ...openForeign(options, db), ...openIntegrations(options, { db, vault }) };
  let mailServer: MailServer | null = null;
  const sharing = openSharing(options.shared, { db, vault, url, newId: ids.newId, log });
  // Only a service of one process needs the heartbeat file. Several processes write their heartbeats to the database.
  const life = options.shared === undefined ? startHeartbeat(dataFolder, log) : null;
  const storage = { db, blobs, tokens };
  const outageMs = life?.outageMs ?? 0;
  const stores = { ...storage, vault, owners: sharing.owners, storageDeadline, ...foreign, outageMs };
  const parts = { ...storage, addresses, ...foreign, ...(await createParts(options, stores)) };
  const { engine, browsers, recordings } = parts;
  const keyring = createKeyring({ db, clock, log });
  const sweeper = openSweeper(options, { db, blobs, newToken: ids.newToken });
  const drain = createDrain(Date.now);
  const console = openConsole({ ...options, ...parts, keyring, publicUrl: url, listensOn: () => app.listeningOrigin });
  const guards = { keyring, drain: sharing.selectDrain(drain), consoleGuard: console.consoleGuard };
  const service = createService({ ...options, ...parts, ...sharedCounting(options, db), ...guards });
  const readiness = createReadiness({ ...options, db, blobs, isShuttingDown: () => drain.isUnderWay });
  const underWay = trackAnswers();
  const app = createHttpServer({
    ...options,
    answer: createAnswer(options, (asked) => console.answer(asked) ?? handle(service, asked)),
    straightBelow: interfaceBase,
    enter: [underWay.enter, limitStorageWait(storageDeadline, getLimit(rules, 'databaseWait'))],
  });
  addRoutes(app, { ...parts, ...routing(options), owners: sharing.owners, readiness, signer });
  // Runs before the server closes its connections, so that a request that waits for a browser still gets an error
  // response.
  for (const settle of [() => browsers.close(), () => underWay.settled()]) app.addHook('preClose', settle);

  const owned = opened.move();
  let closed: Promise<void> | undefined;
  return {
    app,
    engine,
    db,
    addKey,
    async listen({ host, port }) {
      const address = await app.listen({ host, port });
      publicUrl ??= address;
      await sharing.join({ engine, browsers, recordings }, publicUrl);
      mailServer = await openMail(options, foreign.mail, engine);
      return address;
    },
    mailPlace: () => mailServer?.place ?? null,
    drain: (withinMs) => drain.begin(withinMs, (signal) => finish(options, { engine, sharing }, signal)),
    close() {
      life?.close();
      storageDeadline.end(getLimit(rules, 'databaseWaitAtEnd'));
      const first = [mailServer, foreign.mail, sweeper, console, app, engine, foreign.integrations, foreign.judges];
      // `recordings` stores the recordings that ended with the engine.
      return (closed ??= closeInOrder(owned, [...first, { close: () => sharing.leave() }, recordings, keyring]));
    },
  };
}

/**
 * Closes the parts in this order, and then what `owned` contains. A part that cannot be closed does not keep the others
 * open. Rejects with the error of such a part, or with a `SuppressedError` of several.
 */
async function closeInOrder(
  owned: AsyncDisposableStack,
  parts: readonly ({ close(): void | Promise<void> } | null)[],
): Promise<void> {
  for (const part of parts.toReversed()) owned.defer(async () => part?.close());
  await owned.disposeAsync();
}

/** Opens the database and encrypts access tokens that are still in clear text. */
async function openState(
  { database, dataFolder, connectionsMax, log }: BackendOptions,
  { storageDeadline, tokens }: { readonly storageDeadline: StorageDeadline; readonly tokens: AccessTokens },
): Promise<Database> {
  const how = { storageDeadline, ...(connectionsMax === undefined ? {} : { connectionsMax }) };
  const db = await openDatabase(database ?? join(dataFolder, 'svc.sqlite'), how);
  const sealed = await sealClearTokens(db, tokens);
  if (sealed > 0) log.info({ rows: sealed }, 'access tokens of an earlier release were sealed');
  return db;
}

/** Creates the component for mailboxes, which is null without mail, and the component that checks task outputs. */
function openForeign(
  options: BackendOptions,
  db: Database,
): { readonly mail: Mailroom | null; readonly judges: OutputJudges } {
  return { mail: openMailroom(options, db), judges: createOutputJudges(options.rules) };
}

function openMailroom({ mail, clock, rules }: BackendOptions, db: Database): Mailroom | null {
  return mail === undefined ? null : createMailroom({ db, clock, rules, domain: mail.domain });
}

function openSweeper(
  options: BackendOptions,
  stores: Pick<Parameters<typeof createSweeper>[0], 'db' | 'blobs' | 'newToken'>,
): Sweeper {
  return createSweeper({ ...options, ...options.shared, ...stores }, options.retention ?? new Map());
}

/**
 * Returns an object with the request counter that all processes of a service share; an empty object for a single
 * process.
 */
function sharedCounting({ shared }: BackendOptions, db: Executor): Pick<ServiceDeps, 'countTogether'> {
  return shared === undefined ? {} : { countTogether: (name, window) => countTogether(db, name, window) };
}

/** Returns whether this process serves API requests; workers that only run sandboxes do not. */
function answers({ shared }: BackendOptions): boolean {
  return shared?.role !== 'worker';
}

type Answer = HttpServerDeps['answer'];

/**
 * Returns the request handler of this process, wrapped by the hook `around`, if any. A process that only runs sandboxes
 * refuses API requests with `answerElsewhere`.
 */
function createAnswer(options: BackendOptions, ask: Answer): Answer {
  const { around, rules } = options;
  const reply: Answer = answers(options) ? ask : (asked) => answerElsewhere(rules, asked);
  return around === undefined ? reply : (asked) => around(asked, reply);
}

type Routing = Pick<Parameters<typeof addRoutes>[1], 'audit' | 'clock' | 'rules' | 'log' | 'answers'>;

function routing(options: BackendOptions): Routing {
  const { audit, tracer, clock, rules, log } = options;
  const watching = { ...(audit === undefined ? {} : { audit }), ...(tracer === undefined ? {} : { tracer }) };
  return { ...watching, clock, rules, log, answers: answers(options) };
}

/** Starts the mail server, if configured. */
async function openMail(
  { mail, rules, log }: BackendOptions,
  mailroom: Mailroom | null,
  engine: Engine,
): Promise<MailServer | null> {
  if (mail === undefined || mailroom === null) return null;
  const shown = (sessionId: string, text: string): string => engine.hide(sessionId, text);
  // Loaded on demand, because it loads an SMTP package.
  const { startMailServer } = await import('#platform/mail/start-mail-server.ts');
  return startMailServer({ mailroom, rules, log, shown }, mail);
}

function openSecrets({ dataFolder, secrets, ids = randomIds }: BackendOptions): {
  readonly signer: UrlSigner;
  readonly vault: Vault;
  readonly tokens: AccessTokens;
} {
  const { signing, sealing } = secrets ?? { signing: signingSecret(dataFolder), sealing: sealingSecret(dataFolder) };
  const vault = createVault(sealing);
  return { signer: createUrlSigner(signing), vault, tokens: createAccessTokens(vault, ids.newToken) };
}

/**
 * Finishes the running tasks. A worker also releases its idle sessions; a process that only serves requests waits until
 * the signal aborts, so that its load balancer sees it as not ready.
 */
async function finish(
  { shared }: BackendOptions,
  { engine, sharing }: { readonly engine: Engine; readonly sharing: Sharing },
  signal: AbortSignal,
): Promise<void> {
  await sharing.drain();
  await engine.handOver();
  await engine.tasks.finish(signal);
  if (shared?.role === 'api' && !signal.aborted) await once(signal, 'abort');
}

/** Components that are created before, and used by, the components of `createParts`. */
interface Stores extends OpenIntegrations {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly vault: Vault;
  readonly tokens: AccessTokens;
  readonly owners: Owners;
  readonly storageDeadline: StorageDeadline;
  readonly mail: Mailroom | null;
  readonly judges: OutputJudges;
  readonly outageMs: number;
}

/** The members of a service that `createParts` creates; the backend adds the others. */
type ServiceParts = Omit<
  ServiceDeps,
  | 'db'
  | 'judges'
  | 'keyring'
  | 'consoleGuard'
  | 'drain'
  | 'rules'
  | 'clock'
  | 'countries'
  | 'exitCountries'
  | 'requiresProvider'
  | 'captchaSolver'
  | 'addresses'
  | 'verifyEveryNth'
  | 'tracer'
>;

/** Creates the parts that the operations use. */
async function createParts(options: BackendOptions, stores: Stores): Promise<ServiceParts> {
  const { dataFolder, clock, rules, log } = options;
  const { db, blobs, vault } = stores;
  const { newId, newToken } = options.ids ?? randomIds;
  const { activeSessionsMax: max } = options.limits;
  const activeMax = max === 'by-spend' ? bySpend({ clock, rules, spentBy: (id) => spend.used(id) }) : sameForAll(max);
  const limits = { bytesMax: getLimit(rules, 'workspaceBytes'), uploadLifetimeMs: urlLifetimes(rules).uploadMs };
  // Created before the engine, which adds its own screenshots to the list of unreferenced blobs that is cleaned up
  // here.
  const workspaces = await createWorkspaces({
    db,
    blobs,
    clock,
    log,
    newId,
    limits,
    isAlone: options.shared === undefined,
  });
  // Created before any browser can start: profile state of an earlier process is recovered first.
  const shared = options.shared === undefined ? {} : { shared: { url: options.publicUrl ?? null } };
  const browserProfiles = await createBrowserProfiles({ db, blobs, vault, clock, rules, log, ...shared }, options.host);
  const recordings = createRecordings({
    ...options,
    ...stores,
    newId,
    self: stores.owners.self,
    folder: join(dataFolder, 'recordings'),
  });
  const providerKeys = createProviderKeys(db, vault);
  const common = { ...stores, workspaces, recordings, browserProfiles, providerKeys, newId, newToken };
  const browsers = createStandaloneBrowsers({ ...options, ...common, activeMax });
  const money = { models: options.models ?? null, spentElsewhere: (id: string) => browsers.spentBy(id) };
  const engine = await createEngine({ tracer: untraced, skills: [], ...options, ...common, ...money, activeMax });
  const spend = createProjectSpend({ sessions: engine, browsers });
  // Runs after the engine has ended the sessions that an earlier process left running.
  await recordings.recover(
    (ownerId) => isRecordable(db, ownerId, endStates(rules.lifecycle)),
    options.shared !== undefined,
  );
  return {
    workspaces,
    recordings,
    activeMax,
    engine,
    browsers,
    spend,
    providerKeys,
    modelRoutes: options.models?.routes ?? new Map(),
    profiles: createProfiles({ db, blobs, clock, log, newId }),
    messages: createMessages(db),
    shares: createShares({ db, clock, tokens: stores.tokens }),
  };
}

function urlLifetimes(rules: RuleBook): AddressLifetimes {
  return {
    screenshotMs: getLimit(rules, 'screenshotUrlLifetime'),
    uploadMs: getLimit(rules, 'uploadUrlLifetime'),
    formMs: getLimit(rules, 'formUploadLifetime'),
    fileMs: getLimit(rules, 'fileUrlLifetime'),
    taskLogMs: getLimit(rules, 'taskLogUrlLifetime'),
    downloadMs: getLimit(rules, 'downloadUrlLifetime'),
    recordingMs: getLimit(rules, 'recordingUrlLifetime'),
  };
}
