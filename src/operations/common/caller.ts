import type { Balance } from '#accounts/balance.ts';
import type { ProjectLimits } from '#accounts/keyring.ts';
import type { Messages } from '#accounts/messages.ts';
import type { Profiles } from '#accounts/profiles.ts';
import type { Shares } from '#accounts/shares.ts';
import type { Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import type { SchemaRefusal } from '#agent/index.ts';
import type { ModelRoute } from '#agent/model/model-call.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Engine } from '#sessions/create-engine.ts';
import type { Recordings } from '#sessions/recordings/index.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import type { Scope } from '#store/schema.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Addresses } from './addresses.ts';

/** Context of an operation: the calling project and the service's dependencies. */
export interface Caller {
  readonly scope: Scope;
  readonly engine: Engine;
  readonly browsers: StandaloneBrowsers;
  readonly workspaces: Workspaces;
  readonly profiles: Profiles;
  readonly messages: Messages;
  readonly rules: RuleBook;
  /** The countries that a browser can leave from; null for all. */
  readonly countries: ReadonlySet<string> | null;
  readonly addresses: Addresses;
  readonly shares: Shares;
  readonly recordings: Recordings;
  /** Names the key of the request without revealing it. */
  readonly keyId: string;
  /** Whether the caller's project has zero data retention. */
  readonly zeroDataRetention: boolean;
  /** What the caller's project may do at most. */
  readonly limits: ProjectLimits;
  /** Whether the caller's project has used up what it was given to spend. */
  isOutOfCredit(): Promise<boolean>;
  /** What the caller's project may spend and has spent. */
  balance(): Promise<Balance>;
  /** Whether the caller's project has stored a key of that model provider. */
  hasProviderKey(provider: string): Promise<boolean>;
  /** Why outputs cannot be judged by a schema; null when they can. The caller's project waits behind its own schemas only. */
  checkSchema(schema: JsonObject): Promise<SchemaRefusal | null>;
  /** How the service itself reaches model providers; empty where it reaches none, and the offline planner works. */
  readonly modelRoutes: ReadonlyMap<string, ModelRoute>;
}

/** Returns the body of a validated request with the type of its schema; {} without a body. */
export type BodyOf<Schemas> = <Name extends keyof Schemas>(request: ParsedRequest, schema: Name) => Schemas[Name];

/** Reads bodies as the schemas of one generation. */
export function createBodyOf<Schemas>(): BodyOf<Schemas> {
  return <Name extends keyof Schemas>(request: ParsedRequest, _schema: Name) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parse has checked the body against the document that the type was made from
    (request.body ?? {}) as Schemas[Name];
}
