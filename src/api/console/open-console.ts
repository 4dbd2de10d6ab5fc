import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { RuleBook } from '#contract/rule-book.ts';
import { type ActiveMax, readBalance } from '#accounts/balance.ts';
import { createIssuedKeys } from '#accounts/api-keys.ts';
import type { IntegrationSecrets } from '#accounts/integration-secrets.ts';
import type { Integrations } from '#agent/integrations/connections.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import type { Keyring } from '#accounts/keyring.ts';
import { createProjects } from '#accounts/projects.ts';
import type { Clock } from '#lib/clock.ts';
import type { ProviderKeys } from '#accounts/provider-keys.ts';
import type { ProjectSpend } from '#sessions/project-spend.ts';
import type { Recordings } from '#sessions/recordings/index.ts';
import type { Addresses } from '#operations/common/addresses.ts';
import { createSchedules } from '#sessions/schedules/schedules.ts';
import { type ConsoleGuard, createConsoleGuard, createRefusedLogins } from './console-guard.ts';
import { type Console, createConsole } from './create-console.ts';
import { createExaminations, type Examiner } from './examinations.ts';
import type { CostReading } from './read-costs.ts';
import type { SessionReading } from './read-sessions.ts';
import { createLoginLinks } from './login/login-links.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of the console. */
export interface ConsoleDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: RuleBook;
  readonly log: Logger;
  readonly addresses: Addresses;
  readonly recordings: Recordings;
  readonly keyring: Keyring;
  readonly providerKeys: ProviderKeys;
  readonly integrations: Integrations | null;
  readonly integrationSecrets: IntegrationSecrets;
  readonly engine: SessionReading['engine'];
  readonly browsers: CostReading['browsers'];
  readonly spend: Pick<ProjectSpend, 'total'>;
  readonly activeMax: ActiveMax;
  readonly countries?: ReadonlySet<string> | null;
  /** Model providers of the service. @defaultValue none */
  readonly models?: Pick<ModelProviders, 'routes'>;
  readonly verifyEveryNth: number;
  readonly examiner?: Examiner;
  /** Returns the public base URL of the service. */
  publicUrl(): string;
  /** Returns the URL at which the service listens. */
  listensOn(): string;
}

/** The console of a service; its creator closes it. */
export interface OpenConsole extends Console {
  readonly consoleGuard: ConsoleGuard;
  /** Stops the run of the suite, if any. */
  close(): Promise<void>;
}

/** Creates the console of a service from its parts. */
export function openConsole(deps: ConsoleDeps): OpenConsole {
  const { db, clock, rules } = deps;
  const keys = createIssuedKeys(db);
  const consoleGuard = createConsoleGuard(deps);
  const examinations =
    deps.examiner === undefined ? null : createExaminations({ ...deps, examiner: deps.examiner, keys });
  const made = createConsole(
    {
      ...deps,
      keys,
      consoleGuard,
      examinations,
      countries: deps.countries ?? null,
      hasProviders: (deps.models?.routes.size ?? 0) > 0,
      projects: createProjects(db),
      schedules: createSchedules({ db, rules, newId: randomUUID, now: () => clock.now() }),
      links: createLoginLinks(deps),
      refusedLogins: createRefusedLogins(clock, rules),
      balance: (projectId) => readBalance(deps, projectId),
    },
    deps.verifyEveryNth,
  );
  return { ...made, consoleGuard, close: async () => examinations?.close() };
}
