import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { hasKeys, newApiKey } from '#accounts/api-keys.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import { createProviders } from '#agent/providers/create-providers.ts';
import { type ProviderTable } from '#agent/providers/configuration.ts';
import { createLoginLinks } from '#api/console/login/login-links.ts';
import { linkAddress } from '#api/console/login/login-secrets.ts';
import { createRequestLog, type RequestLog } from '#api/control/control-server.ts';
import { createFaultSwitch, createRefusalSwitch } from '#api/control/switches.ts';
import { type Backend, type BackendOptions, createBackend } from '#api/create-backend.ts';
import { parseTrustedProxies } from '#api/http/client-address.ts';
import { createRequestScope } from '#api/http/request-scope.ts';
import { type Audit, createAudit, openAuditFile } from '#browsers/index.ts';
import { defaultRules, getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type CaptchaSolver, createCaptchaSolver } from '#platform/captcha-solver.ts';
import { type Clock, type ControlledClock, createClock, waitBy } from '#lib/clock.ts';
import { closePaths, lockFolder } from '#store/data-folder.ts';
import { firstProjectId } from '#store/queries/projects.ts';
import { createLog } from '../create-log.ts';
import { createAgent } from './create-agent.ts';
import { createExaminer } from './create-examiner.ts';
import { createHost } from './create-host.ts';
import { withOpenDomains } from './browser-flags.ts';
import { openBlobs, openControl, openMetrics, openTraces } from './open-parts.ts';
import { openShared } from './open-shared.ts';
import { readIntegrations, readProxySettings, readProviders, readRetention, readSkills } from './read-files.ts';
import type { ServeOptions } from './serve-options.ts';

/** A running `svc serve`. */
export interface Started {
  readonly address: string;
  readonly controlAddress: string | null;
  /** URL of the metrics server; null without one. */
  readonly metricsAddress: string | null;
  /** Address of the mail server as host:port; null without one. */
  readonly mailAddress: string | null;
  /** API key that was created because the database had none; otherwise null. */
  readonly madeKey: string | null;
  /** Login link of the console that was created with the key; otherwise null. */
  readonly loginLink: string | null;
  /**
   * Resolves when other processes have declared this process dead. This process must then exit. Never resolves
   * otherwise.
   */
  readonly reclaimed: Promise<void>;
  /** Rejects new work, gives tasks time to end, and closes everything that was opened. */
  close(): Promise<void>;
}

/** Maximum number of paths in a log line. */
const namedMax = 10;

/**
 * Time to wait for the lock of a data folder that another process holds for a moment, for example while it reclaims
 * files, in milliseconds.
 */
const folderTimeoutMs = 2_000;

/**
 * Creates browser host, agent, clock and backend, and starts to listen. When a step fails, closes everything that was
 * opened.
 */
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
  const exits = await readProxySettings(options.exits, defaultRules);
  const providers = await readProviders(options.providersFile, defaultRules);
  const skills = await readSkills(options.skillsFolder, defaultRules);
  const configuredIntegrations = await readIntegrations(options.integrationsFile, defaultRules);
  const retention = await readRetention(options.retentionGiven);
  const counting = await openMetrics(options, owned);
  const dataFolder = resolve(options.dataFolder);
  owned.defer(lockFolder(dataFolder, folderTimeoutMs));
  await keepPrivate(dataFolder, log);
  const reclaimed = Promise.withResolvers<void>();
  const shared = await openShared(options, { log, onReclaimed: reclaimed.resolve }, owned);
  const rules = withOpenDomains(defaultRules, options.cdpAllow);
  const chosen = await openChosen(options, { rules, clock, log }, owned);
  const afterwards = createAfterwards(owned);
  const faults = createFaultSwitch(await createHost(options, exits, { log, readyFrom: afterwards.begun }));
  owned.defer(() => faults.host.close());
  const examiner = createExaminer();
  owned.defer(() => examiner.close());
  const { mail: _, ...others } = options;
  const refusals = createRefusalSwitch({ rules });
  const requests = createRequestLog();
  const backend = await createBackend({
    ...others,
    ...chosen,
    ...shared,
    ...(options.control === null ? {} : { interrupt: refusals.interrupt, seen: intoLog(requests, clock) }),
    clock,
    examiner,
    retention,
    skills,
    configuredIntegrations,
    log,
    scope,
    observe: counting.observe,
    ...(drawing.tracer === undefined ? {} : { tracer: drawing.tracer }),
    host: drawing.host(counting.host(faults.host)),
    models: drawing.models(counting.models(createModels(providers, { rules, clock, log }), rules), rules),
    agent: drawing.agent(createAgent(rules, { testTasks: options.control !== null })),
    rules,
    countries: exits.required ? new Set(exits.proxies.keys()) : null,
    // A simulated browser can be in every country.
    exitCountries: options.hosts === 'simulated' ? null : new Set(exits.proxies.keys()),
    limits: { inactivityMs: options.inactivityMs, activeSessionsMax: options.activeSessionsMax },
    dataFolder,
  });
  owned.defer(() => backend.close());
  counting.watch({ ...backend, rules });
  const madeKey = await makeFirstKey(backend);
  const controlAddress = await openControl(options, { clock, faults, refusals, backend, requests }, owned);
  const address = await backend.listen(options);
  afterwards.listens();
  owned.defer(() => backend.drain(options.shutdownMs));
  const place = backend.mailPlace();
  return {
    address,
    controlAddress,
    metricsAddress: counting.address,
    mailAddress: place === null ? null : `${place.host}:${place.port}`,
    madeKey,
    loginLink: madeKey === null ? null : await makeFirstLink(backend, { clock, rules }, options.publicUrl ?? address),
    reclaimed: reclaimed.promise,
  };
}

/**
 * Removes the access of other users from a data folder and logs the changed paths. A failure is logged and not thrown.
 */
async function keepPrivate(dataFolder: string, log: Logger): Promise<void> {
  try {
    const paths = await closePaths(dataFolder);
    if (paths.length > 0)
      log.warn(
        { paths: paths.slice(0, namedMax), count: paths.length },
        'others could reach these: their modes were repaired',
      );
  } catch (error) {
    log.error(
      { err: error },
      'other users can access the data folder: change its owner to the user of the service (chown), and its mode to 700 (chmod)',
    );
  }
}

function intoLog(requests: RequestLog, clock: Clock): NonNullable<BackendOptions['seen']> {
  return (answer) => requests.add({ at: new Date(clock.now()).toISOString(), ...answer });
}

/** Opens the optional parts that were configured. */
async function openChosen(
  { mail, blobStore, databaseAddress, auditFile, trustProxy, captchaSolverUrl }: ServeOptions,
  parts: Parameters<typeof openAudit>[1],
  owned: AsyncDisposableStack,
): Promise<Pick<BackendOptions, 'mail' | 'blobs' | 'database' | 'audit' | 'trustedProxies' | 'captchaSolver'>> {
  return {
    ...(captchaSolverUrl === null ? {} : { captchaSolver: openSolver(captchaSolverUrl, parts, owned) }),
    ...(mail === null ? {} : { mail }),
    ...(blobStore === null ? {} : { blobs: await openBlobs(blobStore, owned) }),
    ...(databaseAddress === null ? {} : { database: databaseAddress }),
    ...(auditFile === null ? {} : { audit: await openAudit(auditFile, parts, owned) }),
    ...(trustProxy.length === 0 ? {} : { trustedProxies: parseTrustedProxies(trustProxy) }),
  };
}

function openSolver(url: string, { log }: Parameters<typeof openAudit>[1], owned: AsyncDisposableStack): CaptchaSolver {
  const solver = createCaptchaSolver({ url, log });
  owned.defer(() => solver.close());
  return solver;
}

/** Creates and returns an API key if the service has no keys; otherwise returns null. */
async function makeFirstKey(backend: Backend): Promise<string | null> {
  if (await hasKeys(backend.db)) return null;
  const key = newApiKey();
  await backend.addKey(key);
  return key;
}

/** Creates a console login link for the oldest project; `base` is the URL of the service. */
async function makeFirstLink(
  { db }: Backend,
  parts: { readonly clock: ControlledClock; readonly rules: RuleBook },
  base: string,
): Promise<string> {
  return linkAddress(base, await createLoginLinks({ ...parts, db }).make(await firstProjectId(db)));
}

/** Dependencies of the model providers. */
interface ModelsOptions {
  readonly rules: RuleBook;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Creates the model providers of a table. They wait by the clock of the service and log failed calls. Keys that
 * projects have stored need no row in the table.
 */
function createModels(table: ProviderTable, { rules, clock, log }: ModelsOptions): ModelProviders {
  return createProviders({
    rules,
    table,
    wait: (ms, signal) => waitBy(clock, ms, signal),
    random: Math.random,
    now: () => clock.now(),
    report: (attempt) => log.warn(attempt, 'a call of a model failed'),
  });
}

/** Dependencies of an audit log. */
interface AuditDeps {
  readonly rules: RuleBook;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Opens the audit log of `svc serve --audit`. The end of `owned` closes it after the parts that write to it. Rejects
 * when the file cannot be written.
 */
async function openAudit(path: string, { rules, clock, log }: AuditDeps, owned: AsyncDisposableStack): Promise<Audit> {
  const file = await openAuditFile({
    path,
    bytesMax: getLimit(rules, 'cdpAuditFile'),
    backlogBytesMax: getLimit(rules, 'cdpAuditBacklog'),
    onError: (error) => log.error({ err: error }, 'the audit could not be written'),
  });
  owned.defer(() => file.close());
  return createAudit({ write: (line) => file.write(line), now: () => clock.now(), newId: randomUUID });
}

/** Delay of background warm-up work, until {@link graceMs} after the service has started to listen. */
export interface Afterwards {
  /** Resolves {@link graceMs} after the call of `listens`; never resolves without this call. */
  readonly begun: Promise<void>;
  /** Reports that the service listens. */
  listens(): void;
}

/** Delay of warm-up work in milliseconds, because clients that waited for the start send requests at once. */
const graceMs = 500;

/** Creates the delay of warm-up work. The end of `owned` cancels the pending delay. */
export function createAfterwards(owned: AsyncDisposableStack): Afterwards {
  const { promise: begun, resolve: markBegun } = Promise.withResolvers<void>();
  return {
    begun,
    listens() {
      const timer = setTimeout(markBegun, graceMs);
      owned.defer(() => clearTimeout(timer));
    },
  };
}
