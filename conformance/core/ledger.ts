import type { RequestSpec } from './request.ts';
import type { Exchange } from './exchange.ts';
import type { Generation } from './target.ts';

/** Kinds of resources that the suite can create on a target. */
export const resourceKinds = ['session', 'task', 'run', 'browser', 'profile', 'workspace'] as const;

/** One kind of resource. */
export type ResourceKind = (typeof resourceKinds)[number];

/** One resource that was created or may have been created. */
export interface LedgerEntry {
  kind: ResourceKind;
  generation: Generation;
  /** Task or name in the request, at most 200 characters. It identifies the resource if the response was lost. */
  name?: string;
  /** Name of the check or scenario that sent the request. */
  by?: string;
  /** `other` if the resource was created with the key of the other project. */
  key?: 'other';
  /** Id of the resource; undefined if the response with the id never arrived. */
  id?: string;
  /**
   * Name of the operation that created the resource; for a resource that the suite found in a list, the name of the
   * list operation.
   */
  createdBy: string;
  /**
   * `requested`: the request is pending or its response was lost; `live`: the resource exists and may cause costs;
   * `ended`: the resource has ended; `refused`: the resource was not created.
   */
  state: 'requested' | 'live' | 'ended' | 'refused';
  /** Last known total cost, decimal string in US dollars. */
  costUsd?: string;
  /** True if the response was lost or is a server error: the resource may exist. */
  lost?: boolean;
  /** Maximum total cost, decimal string in US dollars; set before the request is sent. */
  boundUsd?: string;
}

/**
 * Function that is called with all entries and with the new or changed entry. Its promise, if any, settles when the
 * change is stored.
 */
export type LedgerListener = (entries: readonly LedgerEntry[], changed: LedgerEntry) => void | Promise<void>;

/** Registers every resource of a run before its creation request is sent. */
export interface Ledger {
  /** Adds an entry for a resource. The request that creates the resource may be sent when `kept` has resolved. */
  request(entry: Pick<LedgerEntry, 'kind' | 'generation' | 'createdBy' | 'name' | 'by' | 'key'>): LedgerEntry;
  /** Resolves when the entry is stored so that it survives a crash of the suite; rejects if it could not be stored. */
  kept(entry: LedgerEntry): Promise<void>;
  /** Replaces members of an entry. */
  update(entry: LedgerEntry, change: Partial<LedgerEntry>): void;
  find(kind: ResourceKind, id: string): LedgerEntry | undefined;
  entries(): readonly LedgerEntry[];
  /** Calls the listener after every change of an entry. */
  onChange(listener: LedgerListener): void;
}

/** Keeps a run within its cost limit: the maximum cost is reserved before each dispatch. */
export interface Budget {
  /**
   * Reserves the maximum cost of an entry. Waits while pending requests may release budget. Throws NotRun, and ends the
   * run, if the remaining budget does not suffice.
   */
  reserve(entry: LedgerEntry, boundUsd: string): Promise<void>;
}

/** Creates and ends resources so that the ledger always lists the live resources. */
export interface Resources {
  /** Sends a request that creates a resource, or a request that must be refused but may create one. */
  create(kind: ResourceKind, spec: RequestSpec): Promise<Exchange>;
  /** Sends a request that must be refused. Ends a resource at once if the target creates it anyway. */
  probe(kind: ResourceKind, spec: RequestSpec): Promise<Exchange>;
  /**
   * Sends a request that must be accepted and ends its resource. Without a stop operation, waits until the resource
   * ends by itself.
   */
  trial(kind: ResourceKind, spec: RequestSpec): Promise<Trial>;
  /** Ends one resource and returns the result. */
  tryEnd(entry: LedgerEntry): Promise<StopResult>;
  /**
   * Ends one resource. Returns true if a poll has shown its end, or if the target has accepted the stop and offers no
   * status to poll.
   */
  end(entry: LedgerEntry): Promise<boolean>;
}

/**
 * Result of ending a resource. `ended`: the resource has ended; `again`: a fault of the target prevented the end, and a
 * retry may succeed; `left`: the resource may still exist, and a retry would not help.
 */
export type StopResult = 'ended' | 'again' | 'left';

/** Result of a request that had to be accepted. */
export interface Trial {
  exchange: Exchange;
  /** False if the request created a resource that has not ended. */
  ended: boolean;
}
