import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Grant, hasKeys, newApiKey } from '#backend/accounts/api-keys.ts';
import {
  type BrowserBounds,
  type ExitOptions,
  createAbsentHost,
  createLocalHost,
  createSimulatedHost,
} from '#backend/browsers/index.ts';
import type { BrowserHost } from '#backend/browsers/host.ts';
import type { ControlledClock } from '#backend/clock/clock.ts';
import { createClock } from '#backend/clock/controlled-clock.ts';
import { createLoginLinks, linkAddress } from '#backend/console/index.ts';
import { createControlServer } from '#backend/control/control-server.ts';
import { type FaultSwitch, createFaultSwitch } from '#backend/control/fault-switch.ts';
import { createRequestLog } from '#backend/control/request-log.ts';
import { type Backend, type MailOptions, createBackend } from '#backend/create-backend.ts';
import { defaultLaunch } from '#backend/shared/defaults.ts';
import { createDiskBlobs } from '#backend/storage/disk-blobs.ts';
import type { BlobFolder, S3Address } from '#backend/storage/blobs-address.ts';
import type { Blobs } from '#backend/storage/blobs.ts';
import { lockFolder } from '#backend/storage/lock-folder.ts';
import { parseTrustedProxies } from '#http/connections/index.ts';
import { createRequestScope } from '#http/request-scope.ts';
import { shownPath } from '#http/shown-path.ts';
import { createLog } from '../create-log.ts';
import { createOutputJudge } from '#backend/agent/output/index.ts';
import { createAgent } from './create-agent.ts';
import { createExaminer } from './examine/create-examiner.ts';
import { createModels } from './create-models.ts';
import { openMetrics } from './open-metrics.ts';
import { type TraceFlags, openTraces } from './open-traces.ts';
import { openAudit } from './open-audit.ts';
import { withOpenDomains } from './with-open-domains.ts';
import { type ExitFlags, readExits } from './read-exits.ts';
import { readProviders } from './read-providers.ts';
import { readRetention } from './read-retention.ts';
import { openShared } from './open-shared.ts';
import type { ScaleOptions } from './scale-flags.ts';
import type { StorageOptions } from './storage-flags.ts';
import { warnOfExits } from './warn-of-exits.ts';
import { type RuleBook, defaultRules } from '#domain/rule-book.ts';

/** What `svc serve` is started with. */
export interface ServeOptions extends StorageOptions, ScaleOptions {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly dataFolder: string;
  /** Bucket or folder for pictures and files, or null for the data folder. */
  readonly blobStore: S3Address | BlobFolder | null;
  readonly hosts: 'local' | 'simulated';
  /** File of the model providers, or null for those of the environment. */
  readonly providersFile: string | null;
  /** Days for everything or a file of days by kind, or null to keep everything. */
  readonly retentionGiven: string | null;
  /** Where mail for sessions is taken, or null for no mail. */
  readonly mail: MailOptions | null;
  readonly bootstrapKeys: readonly string[];
  readonly control: { readonly host: string; readonly port: number } | null;
  readonly allow: readonly string[];
  /** Browsers that are kept ready. */
  readonly warm: number;
  /** Percent of the time in which processes may wait for a processor before browsers start one by one. */
  readonly pressureMax: number;
  /** What one browser may take of the machine. */
  readonly bounds: BrowserBounds;
  readonly exits: ExitFlags;
  readonly inactivityMs: number;
  readonly activeSessionsMax: number;
  readonly connectionsPerAddress: number;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** Requests that one project may send per second; without it any number. */
  readonly requestsPerSecond?: number;
  /** What the projects of its keys are given. */
  readonly grant: Grant;
  readonly verifyEveryNth: number;
  /** File for the notes of DevTools clients, or null for none. */
  readonly auditFile: string | null;
  /** Domains of DevTools that clients may use besides those of the policy. */
  readonly cdpAllow: readonly string[];
  readonly logLevel: string;
  /** Where Prometheus may ask, or null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where spans are sent to, or null for nowhere. */
  readonly traces: TraceFlags | null;
  /** How long running tasks may go on when the service is to end. */
  readonly shutdownMs: number;
}

/** A running `svc serve`. */
export interface Started {
  readonly address: string;
  readonly controlAddress: string | null;
  /** Where Prometheus may ask, or null. */
  readonly metricsAddress: string | null;
  /** Where mail is taken, as host:port; null where none is. */
  readonly mailAddress: string | null;
  /** The key that was made because there was none, or null. */
  readonly madeKey: string | null;
  /** The way into the console that was made with the key, or null. */
  readonly loginLink: string | null;
  /** Settles when the other processes took this one for dead: it has to end. */
  readonly buried: Promise<void>;
  /** Takes nothing new, lets tasks end as far as there is time, and ends everything that was opened. */
  close(): Promise<void>;
}

/** Composes host, agent, clock and backend and starts to listen. What was opened is closed again when a later step fails. */
export async function startServe(options: ServeOptions): Promise<Started> {
  const owned = new AsyncDisposableStack();
  try {
    return { ...(await open(options, owned)), close: () => owned.disposeAsync() };
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
}

async function open(options: ServeOptions, owned: AsyncDisposableStack): Promise<Omit<Started, 'close'>> {
  const scope = createRequestScope();
  const drawing = await openTraces(options.traces, owned, (word, error) => log.warn({ err: error }, `traces: ${word}`));
  const log = createLog(options.logLevel, scope, drawing.tracer);
  const clock = createClock();
  const exits = await readExits(options.exits, defaultRules);
  const providers = await readProviders(options.providersFile, defaultRules);
  const retention = await readRetention(options.retentionGiven);
  const counting = await openMetrics(options, owned);
  owned.defer(lockFolder(resolve(options.dataFolder)));
  const buried = Promise.withResolvers<void>();
  const shared = await openShared(options, { log, onBuried: buried.resolve }, owned);
  const blobs = options.blobStore === null ? null : await openBlobs(options.blobStore, owned);
  const rules = withOpenDomains(defaultRules, options.cdpAllow);
  const audit = options.auditFile === null ? null : await openAudit(options.auditFile, { rules, clock, log }, owned);
  const faults = createFaultSwitch(await createHost(options, exits, log));
  owned.defer(() => faults.host.close());
  const judge = createOutputJudge();
  owned.defer(() => judge.close());
  const examiner = createExaminer();
  owned.defer(() => examiner.close());
  const { mail, ...others } = options;
  const backend = await createBackend({
    ...others,
    ...(mail === null ? {} : { mail }),
    ...(blobs === null ? {} : { blobs }),
    ...(options.databaseAddress === null ? {} : { database: options.databaseAddress }),
    ...(audit === null ? {} : { audit }),
    ...shared,
    clock,
    examiner,
    retention,
    log,
    scope,
    observe: counting.observe,
    ...(drawing.tracer === undefined ? {} : { tracer: drawing.tracer }),
    host: drawing.host(counting.host(faults.host)),
    models: drawing.models(counting.models(createModels(providers, { rules, clock, log }), rules), rules),
    agent: drawing.agent(createAgent(rules, { testTasks: options.control !== null, judge })),
    rules,
    countries: exits.required ? new Set(exits.proxies.keys()) : null,
    ...(options.trustProxy.length === 0 ? {} : { trustedProxies: parseTrustedProxies(options.trustProxy) }),
    limits: { inactivityMs: options.inactivityMs, activeSessionsMax: options.activeSessionsMax },
    dataFolder: resolve(options.dataFolder),
  });
  owned.defer(() => backend.close());
  counting.watch({ ...backend, rules });
  const madeKey = await makeFirstKey(backend);
  const controlAddress = await openControl(options, { clock, faults, backend }, owned);
  const address = await backend.listen(options);
  owned.defer(() => backend.drain(options.shutdownMs));
  const place = backend.mailPlace();
  return {
    address,
    controlAddress,
    metricsAddress: counting.address,
    mailAddress: place === null ? null : `${place.host}:${place.port}`,
    madeKey,
    loginLink: madeKey === null ? null : await makeFirstLink(backend, { clock, rules }, options.publicUrl ?? address),
    buried: buried.promise,
  };
}

interface Controlled {
  readonly clock: ControlledClock;
  readonly faults: FaultSwitch;
  readonly backend: Backend;
}

async function openControl(
  { control }: ServeOptions,
  { clock, faults, backend }: Controlled,
  owned: AsyncDisposableStack,
): Promise<string | null> {
  if (control === null) return null;
  const requests = createRequestLog();
  const server = createControlServer({ clock, engine: backend.engine, faults, requests });
  owned.defer(() => server.close());
  backend.app.addHook('onResponse', async (request, reply) => {
    const at = new Date(clock.now()).toISOString();
    requests.add({ at, method: request.method, path: shownPath(request.url), status: reply.statusCode });
  });
  return server.listen(control);
}

/** A folder that all processes share, or a bucket. */
function openBlobs(address: S3Address | BlobFolder, owned: AsyncDisposableStack): Promise<Blobs> {
  return 'folder' in address ? Promise.resolve(createDiskBlobs(address.folder)) : openBucket(address, owned);
}

/** The client of a bucket is large: it is loaded only when there is one. */
async function openBucket(address: S3Address, owned: AsyncDisposableStack): Promise<Blobs> {
  const { openS3Blobs } = await import('#backend/storage/s3-blobs.ts');
  const bucket = await openS3Blobs(address);
  owned.defer(() => bucket.close());
  return bucket.blobs;
}

async function createHost(options: ServeOptions, exits: ExitOptions, log: Logger): Promise<BrowserHost> {
  if (options.role === 'api') return createAbsentHost();
  if (options.hosts === 'simulated') return createSimulatedHost();
  warnOfExits(exits, log);
  const directory = join(resolve(options.dataFolder), 'browsers');
  return createLocalHost({
    directory,
    log,
    allow: options.allow,
    exits,
    bounds: options.bounds,
    pressureMax: options.pressureMax,
    warm: { size: options.warm, like: defaultLaunch },
  });
}

async function makeFirstKey(backend: Backend): Promise<string | null> {
  if (await hasKeys(backend.db)) return null;
  const key = newApiKey();
  await backend.addKey(key);
  return key;
}

/** To the project of the first key. */
async function makeFirstLink(
  { db }: Backend,
  parts: { readonly clock: ControlledClock; readonly rules: RuleBook },
  base: string,
): Promise<string> {
  const { id } = await db.selectFrom('projects').select('id').orderBy('created_at').executeTakeFirstOrThrow();
  return linkAddress(base, await createLoginLinks({ ...parts, db }).make(id));
}
