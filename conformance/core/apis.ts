import type { RequestSpec } from './request.ts';
import type { Exchange } from './exchange.ts';
import type { JsonValue, JsonObject } from './json.ts';
import type { ResourceKind, Trial } from './ledger.ts';
import type { OperationKey } from './operations.ts';
import type { JobTarget, Phase } from './job-target.ts';

/** A request body of session creation or of a follow-up task. */
export interface SessionRequest {
  body: JsonObject;
  /** True when the body breaks the contract on purpose. */
  invalid?: boolean;
}

/** The V3 operations, the ones that the contract does not show taken from the target. */
export interface SessionApi {
  create(request: SessionRequest): Promise<Exchange>;
  /** Sends a creation that must be refused; a session that it makes all the same is stopped at once. */
  probe(body: JsonObject): Promise<Exchange>;
  get(id: string): Promise<Exchange>;
  /** Throws NotTestable when the target names no follow-up operation. */
  followUp(id: string, request: SessionRequest): Promise<Exchange>;
  /** Throws NotTestable when the target names no stop operation. */
  stop(id: string): Promise<Exchange>;
  /** Requests with an id in them, for callers that send them with other credentials; undefined when not offered. */
  request(operation: 'get' | 'stop', id: string): RequestSpec | undefined;
  /** Ids of the first page of the list, or undefined when the target offers none. */
  listIds(): Promise<readonly string[] | undefined>;
  /** Id of a created session; throws NotTestable when the answer carries none. */
  idOf(exchange: Exchange): string;
}

/** One look at a task or run. */
export interface JobSnapshot {
  exchange: Exchange;
  phase: Phase;
  /** The status as it is written; undefined when the answer carries none. */
  status: JsonValue | undefined;
  /** The outcome; undefined when the answer does not carry it. */
  result: JsonValue | undefined;
  /** Cost so far in US dollars, as it is written; undefined when the answer does not carry it. */
  cost: JsonValue | undefined;
}

/** How a look is taken. */
export interface SnapshotOptions {
  /** The whole record or the status alone; the other one where the target offers only that. @defaultValue `record` */
  view?: 'record' | 'status';
}

/** The operations on tasks or runs, the ones that the contract does not show taken from the target. */
export interface JobApi {
  /** What the target file says; throws NotTestable when the target does not offer the generation. */
  target(): JobTarget;
  create(body: JsonObject): Promise<Exchange>;
  /** Creates and ends at once. */
  trial(body: JsonObject): Promise<Trial>;
  /** Id of what was created; undefined when the answer carries none. */
  idOf(exchange: Exchange): string | undefined;
  /** Throws NotTestable when the target names no operation for it, or when the answer is no success with a JSON object. */
  look(id: string, options?: SnapshotOptions): Promise<JobSnapshot>;
  /** Throws NotTestable when the target names no operation that ends it. */
  stop(id: string): Promise<Exchange>;
  /** Requests with an id in them, for callers that send them in another way; undefined when not offered. */
  request(operation: keyof JobTarget['operations'], id: string): RequestSpec | undefined;
  /** Ids in the answer to the list operation; undefined when it carries no list. */
  idsOf(exchange: Exchange): readonly string[] | undefined;
}

/** The operations on standalone browsers, the ones that the contract does not show taken from the target. */
export interface BrowserApi {
  create(body: JsonObject): Promise<Exchange>;
  /** Creates and ends at once. */
  trial(body: JsonObject): Promise<Trial>;
  /** The stop operation with the right body, or with a wrong one that has to be refused. */
  stop(id: string, body?: JsonObject): Promise<Exchange>;
  /** Fetches one browser; undefined when the target offers no fetch. */
  get(id: string): Promise<Exchange | undefined>;
  /** Lists browsers; undefined when the target offers no list. */
  list(): Promise<Exchange | undefined>;
  /** The record in the answer to a fetch; empty when it carries none. */
  recordOf(exchange: Exchange): JsonObject;
  /** Records in the answer to the list operation; undefined when it carries no list. */
  listed(exchange: Exchange): JsonObject[] | undefined;
  /** Requests with an id in them, for callers that send them with another key; undefined when not offered. */
  request(operation: 'get' | 'list' | 'stop', id: string): RequestSpec | undefined;
  /** What a record says of itself: its word for the state; undefined when it shows none. */
  statusOf(exchange: Exchange): string | undefined;
  /** True for an answer that says that the browser has ended or is gone, undefined for one that says nothing of it. */
  hasEnded(exchange: Exchange): boolean | undefined;
}

/** What a call carries beyond the name of its operation. */
export interface Call {
  /** Values of the path's parameters, in their order. */
  path?: readonly string[];
  /** Query members; a list repeats its name. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  body?: JsonValue;
  /** True when it breaks the documents on purpose: it is not validated before sending. */
  invalid?: boolean;
  /** True when it asks for more than the target may take: a 429 is then an answer to judge. */
  overload?: boolean;
  key?: RequestSpec['key'];
  headers?: Record<string, string>;
}

/** Any operation of the documents by its id, where the target offers it. */
export interface OperationApi {
  offers(key: OperationKey): boolean;
  /** Ends the check unless every operation is offered. */
  need(...keys: OperationKey[]): void;
  /** Sends a request that makes nothing that costs or stays. Throws NotTestable when the operation is not offered. */
  call(key: OperationKey, call?: Call): Promise<Exchange>;
  /** Sends what makes a thing, which the ledger then owns. */
  create(kind: ResourceKind, key: OperationKey, call?: Call): Promise<Exchange>;
  /** Sends what must be accepted and ends what it makes. */
  trial(kind: ResourceKind, key: OperationKey, call?: Call): Promise<Trial>;
  /** Sends what must be refused; a thing that it makes all the same is ended at once. */
  probe(kind: ResourceKind, key: OperationKey, call?: Call): Promise<Exchange>;
  /** The request of a call, for callers that send it with other credentials; undefined when not offered. */
  request(key: OperationKey, call?: Call): RequestSpec | undefined;
}
