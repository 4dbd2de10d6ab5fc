import { rmSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { createOfflinePlanner } from '#planner/index.ts';
import type { Agent } from '#agent/agent.ts';
import type { Integration } from '#agent/integrations/integration.ts';
import type { Skill } from '#agent/skills/skill.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import type { BrowserHost } from '#browsers/host.ts';
import { type Audit, createSimulatedHost } from '#browsers/index.ts';
import { type ControlledClock, createClock } from '#lib/clock.ts';
import type { Examiner } from '#api/console/examinations.ts';
import { type Backend, type BackendOptions, type MailOptions, createBackend } from '#api/create-backend.ts';
import { createControlServer, createRequestLog } from '#api/control/control-server.ts';
import type { CaptchaSolver } from '#platform/captcha-solver.ts';
import type { Periods } from '#platform/retention/periods.ts';
import { createFaultSwitch, createRefusalSwitch } from '#api/control/switches.ts';
import type { Grant } from '#accounts/api-keys.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import type { TrustedProxies } from '#api/http/client-address.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { Around } from '#api/http/hooks.ts';
import { quickFolder } from './quick-folder.ts';
import { type TestDatabase, testDatabase } from './test-database.ts';

/**
 * Options with which a test changes the reference. All other options equal those of `svc serve --hosts simulated
 * --control`.
 */
export interface BackendChanges {
  readonly rules?: RuleBook;
  /** Countries through which browsers can connect to the internet. @defaultValue all countries */
  readonly countries?: ReadonlySet<string> | null;
  /** Countries that a record may show as the country of a browser. @defaultValue all countries */
  readonly exitCountries?: ReadonlySet<string> | null;
  /** @defaultValue false */
  readonly requiresProvider?: boolean;
  /** @defaultValue none */
  readonly captchaSolver?: CaptchaSolver;
  readonly host?: BrowserHost;
  readonly agent?: Agent;
  /** Model providers. @defaultValue none, so that the offline planner works on tasks */
  readonly models?: ModelProviders;
  /** @defaultValue files below the data folder */
  readonly blobs?: Blobs;
  /** Skills of the operator. @defaultValue none */
  readonly skills?: readonly Skill[];
  /** Integrations of the operator. @defaultValue none */
  readonly integrations?: readonly Integration[];
  readonly activeSessionsMax?: number | 'by-spend';
  readonly inactivityMs?: number;
  /** @defaultValue the listening URL */
  readonly publicUrl?: string;
  /** @defaultValue any number */
  readonly requestsPerSecond?: number;
  /** @defaultValue any number */
  readonly connectionsPerAddress?: number;
  /** Proxies whose `X-Forwarded-For` is trusted. @defaultValue none */
  readonly trustedProxies?: TrustedProxies;
  /** Clock of the service. @defaultValue the machine's time, which the test can advance */
  readonly clock?: ControlledClock;
  /** @defaultValue silent */
  readonly log?: Logger;
  /** @defaultValue no audit log */
  readonly audit?: Audit;
  /** Grant of both projects. @defaultValue none */
  readonly grant?: Grant;
  /** Address of an existing database, which `stop` does not remove. @defaultValue a new database */
  readonly database?: string;
  /** Path of an existing data folder, which `stop` does not remove. @defaultValue a new folder, which `stop` removes */
  readonly dataFolder?: string;
  /**
   * Options of the mail server; null for no mail.
   * @defaultValue a free loopback port and the domain `inbox.localhost`
   */
  readonly mail?: MailOptions | null;
  /** Runs the suite for the console. @defaultValue none */
  readonly examiner?: Examiner;
  /** @defaultValue nothing expires */
  readonly retention?: Periods;
  /** Records traces. @defaultValue none */
  readonly tracer?: Tracer;
  /** Wraps every request. @defaultValue none */
  readonly around?: Around;
  /** Validates every n-th answer. @defaultValue 1, every answer */
  readonly verifyEveryNth?: number;
}

/** A reference backend in this process, with simulated browsers. */
export interface StartedBackend {
  readonly backend: Backend;
  readonly clock: ControlledClock;
  readonly address: string;
  readonly control: string;
  readonly dataFolder: string;
  /** Address of the backend's database. */
  readonly database: string;
  stop(): Promise<void>;
}

/** The key of the first project. */
export const testKey = 'svc_test_key';

/** The key of a second project. */
export const otherKey = 'svc_other_key';

/** Starts a reference backend on free loopback ports. */
export async function startBackend(changes: BackendChanges = {}): Promise<StartedBackend> {
  const dataFolder = changes.dataFolder ?? quickFolder('svc-test-');
  const clock = changes.clock ?? createClock();
  const faults = createFaultSwitch(changes.host ?? createSimulatedHost());
  const refusals = createRefusalSwitch({ rules: changes.rules ?? defaultRules });
  const database = await openTestDatabase(changes, dataFolder);
  const backend = await createBackend({
    dataFolder,
    interrupt: refusals.interrupt,
    database: database.address,
    clock,
    host: faults.host,
    agent: changes.agent ?? createOfflinePlanner({ testTasks: true }),
    ...chosenParts(changes),
    ...givenParts(changes),
    ...chooseMail(changes),
    rules: changes.rules ?? defaultRules,
    ...refusingParts(changes),
    limits: { inactivityMs: changes.inactivityMs ?? 900_000, activeSessionsMax: changes.activeSessionsMax ?? 25 },
    bootstrapKeys: [testKey, otherKey],
    verifyEveryNth: changes.verifyEveryNth ?? 1,
  });
  const requests = createRequestLog();
  const control = createControlServer({ clock, engine: backend.engine, faults, refusals, requests });
  const controlAddress = await control.listen({ host: '127.0.0.1', port: 0 });
  const address = await backend.listen({ host: '127.0.0.1', port: 0 });
  return {
    backend,
    clock,
    address,
    control: controlAddress,
    dataFolder,
    database: database.address,
    async stop() {
      await control.close();
      await backend.close();
      if (changes.dataFolder !== undefined) return;
      await database.remove();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

async function openTestDatabase({ database }: BackendChanges, dataFolder: string): Promise<TestDatabase> {
  if (database === undefined) return testDatabase(dataFolder);
  return { address: database, remove: async () => undefined };
}

function refusingParts({
  countries = null,
  exitCountries = null,
  requiresProvider = false,
}: BackendChanges): Pick<BackendOptions, 'countries' | 'exitCountries' | 'requiresProvider'> {
  return { countries, exitCountries, requiresProvider };
}

/** Returns the optional parts that the caller has set. */
function givenParts({
  audit,
  examiner,
  around,
  captchaSolver,
  skills = [],
  integrations = [],
}: BackendChanges): Pick<
  BackendOptions,
  'audit' | 'examiner' | 'around' | 'captchaSolver' | 'skills' | 'configuredIntegrations'
> {
  return {
    skills,
    configuredIntegrations: integrations,
    ...(captchaSolver === undefined ? {} : { captchaSolver }),
    ...(audit === undefined ? {} : { audit }),
    ...(examiner === undefined ? {} : { examiner }),
    ...(around === undefined ? {} : { around }),
  };
}

function chooseMail({ mail }: BackendChanges): Pick<BackendOptions, 'mail'> {
  return mail === null ? {} : { mail: mail ?? { host: '127.0.0.1', port: 0, domain: 'inbox.localhost' } };
}

function chosenParts({
  blobs,
  models,
  grant = {},
  log,
  requestsPerSecond,
  connectionsPerAddress,
  publicUrl,
  retention,
  tracer,
  trustedProxies,
}: BackendChanges): Pick<
  BackendOptions,
  | 'blobs'
  | 'models'
  | 'grant'
  | 'log'
  | 'requestsPerSecond'
  | 'connectionsPerAddress'
  | 'publicUrl'
  | 'retention'
  | 'tracer'
  | 'trustedProxies'
> {
  return {
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(tracer === undefined ? {} : { tracer }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
    ...(connectionsPerAddress === undefined ? {} : { connectionsPerAddress }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(retention === undefined ? {} : { retention }),
    ...(blobs === undefined ? {} : { blobs }),
    ...(models === undefined ? {} : { models }),
    grant,
    log: log ?? pino({ level: process.env['SVC_TEST_LOG'] ?? 'silent' }),
  };
}
