import type { Balance } from '#accounts/balance.ts';
import type { ProjectLimits } from '#accounts/keyring.ts';
import type { Messages } from '#accounts/messages.ts';
import type { Profiles } from '#accounts/profiles.ts';
import type { Shares } from '#accounts/shares.ts';
import type { Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import type { SchemaRefusal } from '#agent/output/schema/create-output-judges.ts';
import type { ModelRoute } from '#agent/model/model-call.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Engine } from '#sessions/create-engine.ts';
import type { Recordings } from '#sessions/recordings/index.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import type { CaptchaSolver } from '#platform/captcha-solver.ts';
import type { Scope } from '#store/tables/sessions.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Addresses } from './addresses.ts';

/** Monthly spend limit of a key, and its spend since the beginning of the month, in micro-dollars. */
export interface KeySpend {
  readonly capMicros: number;
  readonly spentMicros: number;
}

/** Context of an operation: the calling project and the service's dependencies. */
export interface RequestContext {
  readonly scope: Scope;
  readonly engine: Engine;
  readonly browsers: StandaloneBrowsers;
  readonly workspaces: Workspaces;
  readonly profiles: Profiles;
  readonly messages: Messages;
  readonly rules: RuleBook;
  /**
   * Country codes that a request may name, if the service refuses countries without a proxy; null if it accepts all
   * countries.
   */
  readonly countries: ReadonlySet<string> | null;
  readonly addresses: Addresses;
  readonly shares: Shares;
  readonly recordings: Recordings;
  /** Public id of the request's API key, or of its console login. */
  readonly keyId: string;
  /** Whether the caller's project has zero data retention. */
  readonly zeroDataRetention: boolean;
  /** Limits of the caller's project. */
  readonly limits: ProjectLimits;
  /** Returns whether the caller's project has spent its credit. */
  isOutOfCredit(): Promise<boolean>;
  /**
   * Returns the monthly spend limit of the caller's key and its spend in the current month; null for a key without a
   * limit.
   */
  keySpend(): Promise<KeySpend | null>;
  /** Solver of CAPTCHAs for standalone browsers; null without one. */
  readonly captchaSolver: CaptchaSolver | null;
  /** Returns the credit, spend and sandboxes of the caller's project. */
  balance(): Promise<Balance>;
  /** Returns whether the caller's project has stored a key of the model provider. */
  hasProviderKey(provider: string): Promise<boolean>;
  /**
   * Returns why a schema cannot be used to check outputs; null for a usable schema. Schemas of one project are checked
   * one after the other, so that projects do not delay each other.
   */
  checkSchema(schema: JsonObject): Promise<SchemaRefusal | null>;
  /** Routes of the service to model providers; empty without any. */
  readonly modelRoutes: ReadonlyMap<string, ModelRoute>;
  /** Whether a model that no provider serves is refused; otherwise the offline planner executes its tasks. */
  readonly requiresProvider: boolean;
  /**
   * Country codes in which the service has a proxy exit. Responses show null for a browser in any other country. If the
   * set is null, responses show every country.
   */
  readonly exitCountries: ReadonlySet<string> | null;
}

/** Returns the body of a validated request with the type of its schema; {} without a body. */
export type ReadBody<Schemas> = <Name extends keyof Schemas>(request: ParsedRequest, schema: Name) => Schemas[Name];

/** Creates a reader of request bodies for the schemas of one API version. */
export function createBodyReader<Schemas>(): ReadBody<Schemas> {
  return <Name extends keyof Schemas>(request: ParsedRequest, _schema: Name) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parse has checked the body against the document that the type was made from
    (request.body ?? {}) as Schemas[Name];
}
