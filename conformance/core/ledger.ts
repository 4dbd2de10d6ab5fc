import type { RequestSpec } from './request.ts';
import type { Exchange } from './exchange.ts';
import type { Generation } from './target.ts';

/** What the suite can create on a target. */
export const resourceKinds = ['session', 'task', 'run', 'browser', 'profile', 'workspace'] as const;

/** One kind of thing. */
export type ResourceKind = (typeof resourceKinds)[number];

/** One thing that was created, or may have been. */
export interface LedgerEntry {
  kind: ResourceKind;
  generation: Generation;
  /** Goal or name that was sent: by it a thing is found whose answer was lost. At most 200 characters. */
  name?: string;
  /** Check or scenario that sent it. */
  by?: string;
  /** `other` when it was made with the key of the other project. */
  key?: 'other';
  /** Undefined when the answer with the id never arrived. */
  id?: string;
  /** What asked for it. */
  createdBy: string;
  /**
   * `requested`: the request is pending or its answer was lost; `live`: it runs and may cost;
   * `ended`: it has ended; `refused`: it was never made.
   */
  state: 'requested' | 'live' | 'ended' | 'refused';
  /** Total cost as last seen, decimal string in US dollars. */
  costUsd?: string;
  /** True when the answer was lost or is one of the target's own faults: it may exist. */
  lost?: boolean;
  /** Most that it may cost in all, decimal string in US dollars; set before the request is sent. */
  boundUsd?: string;
}

/** Receives all entries and the entry that is new or has changed. A returned promise settles when the change is durable. */
export type LedgerListener = (entries: readonly LedgerEntry[], changed: LedgerEntry) => void | Promise<void>;

/** Books everything that a run creates, before the request is sent. */
export interface Ledger {
  /** A new entry; its request may be sent once `kept` has settled. */
  request(entry: Pick<LedgerEntry, 'kind' | 'generation' | 'createdBy' | 'name' | 'by' | 'key'>): LedgerEntry;
  /** Settles when the entry would be found again after a crash; rejects when it could not be kept. */
  kept(entry: LedgerEntry): Promise<void>;
  /** Replaces members of an entry. */
  update(entry: LedgerEntry, change: Partial<LedgerEntry>): void;
  find(kind: ResourceKind, id: string): LedgerEntry | undefined;
  entries(): readonly LedgerEntry[];
  /** Hears of every booking, after it was made. */
  onChange(listener: LedgerListener): void;
}

/** Keeps a run within its cost limit: money is set aside before anything is dispatched. */
export interface Budget {
  /**
   * Reserves the maximum cost of an entry. Waits while pending requests may release budget. Throws NotRun, and ends the
   * run, if the remaining budget does not suffice.
   */
  reserve(entry: LedgerEntry, boundUsd: string): Promise<void>;
}

/** Creates and ends things so that the ledger always knows what is alive. */
export interface Resources {
  /** Sends a request that creates something, or that must be refused but could create something. */
  create(kind: ResourceKind, spec: RequestSpec): Promise<Exchange>;
  /** Sends what must be refused; a thing that it makes all the same is ended at once. */
  probe(kind: ResourceKind, spec: RequestSpec): Promise<Exchange>;
  /** Sends what must be accepted and ends what it makes; where nothing ends it, waits until it has ended by itself. */
  trial(kind: ResourceKind, spec: RequestSpec): Promise<Trial>;
  /** Ends one thing and says what came of it. */
  tryEnd(entry: LedgerEntry): Promise<StopResult>;
  /** Ends one thing; true when it was seen to have ended, or when the target says so and shows no status to look at. */
  end(entry: LedgerEntry): Promise<boolean>;
}

/** What came of an end: `again` when a fault of the target was in the way, and another try may do it. */
export type StopResult = 'ended' | 'again' | 'left';

/** What came of a request that had to be accepted. */
export interface Trial {
  exchange: Exchange;
  /** False when it made something that still lives. */
  ended: boolean;
}
