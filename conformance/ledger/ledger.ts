import type { Generation } from '../core/target/target.ts';

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
   * `requested`: the request is under way or its answer was lost; `live`: it runs and may cost;
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

/** Hears of a booking: all entries, and the one that is new or has changed. A promise of it settles when the booking is safe. */
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

/** An empty ledger; `listener` hears of every booking, for a file that survives a crash. */
export function createLedger(listener?: LedgerListener): Ledger {
  const entries: LedgerEntry[] = [];
  const byId = createIndex();
  const listeners = listener === undefined ? [] : [listener];
  // Results instead of rejections: a booking that nobody waits for, because nothing is sent for it, must not end the process.
  const bookings = new WeakMap<LedgerEntry, Promise<PromiseSettledResult<void>[]>>();
  const tell = (changed: LedgerEntry): Promise<PromiseSettledResult<void>[]> =>
    Promise.allSettled(listeners.map((hear) => Promise.resolve(hear(entries, changed))));
  return {
    request: (entry) => {
      const booked: LedgerEntry = { ...entry, state: 'requested' };
      entries.push(booked);
      byId.add(booked);
      bookings.set(booked, tell(booked));
      return booked;
    },
    kept: async (entry) => {
      const failed = (await bookings.get(entry))?.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    update: (entry, change) => {
      Object.assign(entry, change);
      if (change.id !== undefined) byId.name(entry, change.id);
      void tell(entry);
    },
    find: (kind, id) => byId.find(kind, id),
    entries: () => entries,
    onChange: (added) => {
      listeners.push(added);
    },
  };
}

/** Entries by what they are and their id: every answer that shows a thing asks for its entry. */
interface Index {
  add(entry: LedgerEntry): void;
  /** Notes the id that an entry has got. */
  name(entry: LedgerEntry, id: string): void;
  /** Of several with one id the one that was requested first. */
  find(kind: ResourceKind, id: string): LedgerEntry | undefined;
}

function createIndex(): Index {
  const places = new Map<LedgerEntry, number>();
  const named = new Map<string, LedgerEntry[]>();
  const keyOf = (kind: ResourceKind, id: string): string => `${kind} ${id}`;
  const placeOf = (entry: LedgerEntry): number => places.get(entry) ?? Number.POSITIVE_INFINITY;
  const name: Index['name'] = (entry, id) => {
    const key = keyOf(entry.kind, id);
    const others = (named.get(key) ?? []).filter((other) => other !== entry);
    named.set(
      key,
      [...others, entry].toSorted((left, right) => placeOf(left) - placeOf(right)),
    );
  };
  return {
    add: (entry) => {
      places.set(entry, places.size);
      if (entry.id !== undefined) name(entry, entry.id);
    },
    name,
    // An entry whose id was corrected still stands at its old one.
    find: (kind, id) => named.get(keyOf(kind, id))?.find((entry) => entry.id === id),
  };
}
