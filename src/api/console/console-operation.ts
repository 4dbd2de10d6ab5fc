import type { Problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ParsedRequest } from '#operations/operation.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import type { Balance } from '#accounts/balance.ts';
import type { IssuedKeys } from '#accounts/api-keys.ts';
import type { IntegrationSecrets } from '#accounts/integration-secrets.ts';
import type { Integrations } from '#agent/integrations/connections.ts';
import type { Keyring } from '#accounts/keyring.ts';
import type { Projects } from '#accounts/projects.ts';
import type { Clock } from '#lib/clock.ts';
import type { ProviderKeys } from '#accounts/provider-keys.ts';
import type { Recordings } from '#sessions/recordings/index.ts';
import type { CostReading } from './read-costs.ts';
import type { SessionReading } from './read-sessions.ts';
import type { Addresses } from '#operations/common/addresses.ts';
import type { Schedules } from '#sessions/schedules/schedules.ts';
import type { ConsoleGuard, RefusedLogins } from './console-guard.ts';
import type { Examinations } from './examinations.ts';
import type { ConsoleSession } from './login/console-sessions.ts';
import type { LoginLinks } from './login/login-links.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of the console's operations. */
export interface ConsoleContext {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
  readonly addresses: Pick<Addresses, 'screenshot' | 'recording'>;
  readonly recordings: Pick<Recordings, 'of'>;
  readonly keyring: Pick<Keyring, 'findPrincipal'>;
  readonly keys: IssuedKeys;
  readonly projects: Projects;
  readonly providerKeys: ProviderKeys;
  /** Integrations of the operator; null without any. */
  readonly integrations: Integrations | null;
  readonly integrationSecrets: IntegrationSecrets;
  readonly schedules: Schedules;
  readonly engine: SessionReading['engine'];
  readonly browsers: CostReading['browsers'];
  readonly consoleGuard: ConsoleGuard;
  readonly links: LoginLinks;
  readonly refusedLogins: RefusedLogins;
  /** Runs of the conformance suite; null when the service cannot start any. */
  readonly examinations: Examinations | null;
  /** Country codes for which the service has a proxy; null if it accepts all countries. */
  readonly countries: ReadonlySet<string> | null;
  /** Whether the service itself has a model provider. */
  readonly hasProviders: boolean;
  publicUrl(): string;
  balance(projectId: string): Promise<Balance>;
}

/** A parsed request of the console. */
export interface ConsoleRequest extends ParsedRequest {
  readonly httpRequest: HttpRequest;
}

/** A request with a valid login. */
export interface LoggedIn extends ConsoleRequest {
  readonly login: ConsoleSession;
}

type Answer = Promise<HttpReply | Problem>;

/**
 * An operation of the console. Its `guard` determines which login or key may call the operation. `open`: no login
 * (pages of the console). `login`: a console login. `operator`: a console login by link. `project`: a console login, or
 * an API key in the usual header. `scheduler`: like `project`, if the login or key may schedule tasks.
 */
export type ConsoleOperation =
  | { readonly guard: 'open'; answer(asked: ConsoleRequest, tools: ConsoleContext): Answer }
  | {
      readonly guard: 'login' | 'operator' | 'project' | 'scheduler';
      answer(asked: LoggedIn, tools: ConsoleContext): Answer;
    };
