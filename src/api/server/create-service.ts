import { isProblem, type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { whenResolved, type MaybePromise } from '#lib/maybe-promise.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { Drain } from '#cluster/drain.ts';
import type { Service } from '../http/handle.ts';
import type { Interrupt } from '../http/hooks.ts';
import { createVerify } from '../http/verify.ts';
import type { Keyring, Principal } from '#accounts/keyring.ts';
import { type ActiveMax, readBalance, isOutOfCredit } from '#accounts/balance.ts';
import type { Clock } from '#lib/clock.ts';
import type { ConsoleGuard } from '../console/console-guard.ts';
import type { OutputJudges } from '#agent/output/schema/create-output-judges.ts';
import type { Engine } from '#sessions/create-engine.ts';
import type { Messages } from '#accounts/messages.ts';
import type { ModelRoute } from '#agent/model/model-call.ts';
import type { ProviderKeys } from '#accounts/provider-keys.ts';
import type { Profiles } from '#accounts/profiles.ts';
import type { Addresses } from '#operations/common/addresses.ts';
import type { RequestContext } from '#operations/common/request-context.ts';
import type { CaptchaSolver } from '#platform/captcha-solver.ts';
import { spentByKey } from '#sessions/project-spend.ts';
import type { Recordings } from '#sessions/recordings/index.ts';
import type { Shares } from '#accounts/shares.ts';
import type { ProjectSpend } from '#sessions/project-spend.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import type { Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import { createRequestRates } from '../rates.ts';
import { routes } from './bind.ts';
import { service } from '#generated/rules.ts';
import type { HttpRequest } from '#contract/http-messages.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of the operations of all API versions. */
export interface ServiceDeps {
  readonly db: Database;
  readonly keyring: Keyring;
  /** Authenticates requests of the console. */
  readonly consoleGuard: Pick<ConsoleGuard, 'findPrincipal'>;
  readonly engine: Engine;
  /** Checks output schemas of requests. */
  readonly judges: Pick<OutputJudges, 'checkSchema'>;
  readonly browsers: StandaloneBrowsers;
  readonly workspaces: Workspaces;
  readonly profiles: Profiles;
  readonly messages: Messages;
  readonly shares: Shares;
  readonly recordings: Recordings;
  readonly providerKeys: ProviderKeys;
  /** Routes of the service to model providers; empty without any. */
  readonly modelRoutes: ReadonlyMap<string, ModelRoute>;
  /** Refuses new work while the service is being shut down. */
  readonly drain: Pick<Drain, 'findRefusal'>;
  readonly rules: RuleBook;
  /**
   * Country codes for which the service has a proxy; requests for other countries are refused. @defaultValue null, all
   * countries
   */
  readonly countries?: ReadonlySet<string> | null;
  /**
   * Country codes in which the service has a proxy exit; responses show no other country. @defaultValue null, all
   * countries
   */
  readonly exitCountries?: ReadonlySet<string> | null;
  /** Solver of CAPTCHAs for standalone browsers. @defaultValue none */
  readonly captchaSolver?: CaptchaSolver;
  /** Whether requests for a model without a provider are refused. @defaultValue false */
  readonly requiresProvider?: boolean;
  readonly addresses: Addresses;
  /** Maximum number of active sandboxes for projects without their own limit. */
  readonly activeMax: ActiveMax;
  readonly spend: Pick<ProjectSpend, 'total'>;
  /**
   * Default maximum of requests per second, for a project without a limit of its own and for a client address without a
   * valid key. @defaultValue unlimited
   */
  readonly requestsPerSecond?: number;
  /**
   * Counts a request in a window and returns the count over all processes.
   * @defaultValue counts only the requests of this process
   */
  readonly countTogether?: (name: string, window: number) => Promise<number>;
  readonly clock: Clock;
  /** Every n-th response is validated against its document; 1 validates all. */
  readonly verifyEveryNth: number;
  /** Records traces of requests. @defaultValue none */
  readonly tracer?: Tracer;
  /** Refuses valid requests, for tests. @defaultValue none */
  readonly interrupt?: Interrupt<RequestContext>;
}

/** Creates the request pipeline: each request gets a context for one project and API version. */
export function createService(deps: ServiceDeps): Service<RequestContext> {
  const { rules, requestsPerSecond: perSecond = null, tracer, interrupt } = deps;
  return {
    ...(interrupt === undefined ? {} : { interrupt }),
    ...(tracer === undefined ? {} : { stage: (name, work) => tracer.span({ name }, async () => work()) }),
    pace: createRequestRates({ ...deps, perSecond }),
    closed: (route) => deps.drain.findRefusal(route),
    routes,
    rules,
    verify: createVerify(deps.verifyEveryNth),
    authenticate: (request, route) =>
      whenResolved(authenticate(deps, request), (principal) =>
        isProblem(principal) ? principal : createContext(deps, principal, route.version),
      ),
  };
}

function createContext(
  deps: ServiceDeps,
  principal: Principal,
  generation: RequestContext['scope']['generation'],
): RequestContext {
  const { engine, browsers, workspaces, profiles, messages, shares, recordings, rules, addresses } = deps;
  const { projectId, keyId, zeroDataRetention, limits, monthlyMicros } = principal;
  return {
    scope: { projectId, generation },
    keyId,
    zeroDataRetention,
    limits,
    engine,
    browsers,
    workspaces,
    profiles,
    messages,
    shares,
    recordings,
    rules,
    countries: deps.countries ?? null,
    exitCountries: deps.exitCountries ?? null,
    requiresProvider: deps.requiresProvider ?? false,
    addresses,
    isOutOfCredit: () => isOutOfCredit(deps, projectId),
    keySpend: async () =>
      monthlyMicros === null ? null : { capMicros: monthlyMicros, spentMicros: await spentByKey(deps, keyId) },
    captchaSolver: deps.captchaSolver ?? null,
    balance: () => readBalance(deps, projectId),
    hasProviderKey: (provider) => deps.providerKeys.has(projectId, provider),
    modelRoutes: deps.modelRoutes,
    checkSchema: (schema) => deps.judges.checkSchema(projectId, schema),
  };
}

/**
 * The only header from which an API key is read (contract section 5); query parameters and other headers are ignored.
 */
const keyHeader = service.authentication.name.toLowerCase();

/** Sources of a request's principal. */
interface CallerGuards {
  readonly keyring: Keyring;
  readonly consoleGuard: Pick<ConsoleGuard, 'findPrincipal'>;
}

/**
 * Authenticates a request by its API key or, if it has no key, by its console login. The refusal names the header in
 * which a key is expected.
 */
function authenticate(
  { keyring, consoleGuard }: CallerGuards,
  request: HttpRequest,
): MaybePromise<Principal | Problem> {
  const key = request.headers[keyHeader];
  if (key === '') return problem('not_authenticated', {});
  const found = key === undefined ? consoleGuard.findPrincipal(request) : keyring.findPrincipal(key);
  return whenResolved(found, (principal) => principal ?? problem('not_authenticated', {}));
}
