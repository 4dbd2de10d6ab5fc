import type { ResourceKind, LedgerEntry, LedgerListener, Ledger } from '../core/ledger.ts';

/**
 * Creates an empty ledger. `listener` is called with every change, for example to write the ledger to a file that
 * survives a crash.
 */
export function createLedger(listener?: LedgerListener): Ledger {
  const entries: LedgerEntry[] = [];
  const byId = createIndex();
  const listeners = listener === undefined ? [] : [listener];
  // Settled results instead of rejections: an unawaited change must not end the process. Only a request awaits its
  // change.
  const bookings = new WeakMap<LedgerEntry, Promise<PromiseSettledResult<void>[]>>();
  const tell = (changed: LedgerEntry): Promise<PromiseSettledResult<void>[]> =>
    Promise.allSettled(listeners.map(async (hear) => hear(entries, changed)));
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

/** Index of entries by kind and id. Makes lookups fast, because every response with a resource needs a lookup. */
interface Index {
  add(entry: LedgerEntry): void;
  /** Adds the id of an entry. */
  name(entry: LedgerEntry, id: string): void;
  /** Returns the earliest entry with this id; undefined if no entry has the id. */
  find(kind: ResourceKind, id: string): LedgerEntry | undefined;
}

function createIndex(): Index {
  const places = new Map<LedgerEntry, number>();
  const named = new Map<string, LedgerEntry[]>();
  const toKey = (kind: ResourceKind, id: string): string => `${kind} ${id}`;
  const getPlace = (entry: LedgerEntry): number => places.get(entry) ?? Number.POSITIVE_INFINITY;
  const name: Index['name'] = (entry, id) => {
    const key = toKey(entry.kind, id);
    const others = (named.get(key) ?? []).filter((other) => other !== entry);
    named.set(
      key,
      [...others, entry].toSorted((left, right) => getPlace(left) - getPlace(right)),
    );
  };
  return {
    add: (entry) => {
      places.set(entry, places.size);
      if (entry.id !== undefined) name(entry, entry.id);
    },
    name,
    // An entry whose id was corrected is still indexed under its old id.
    find: (kind, id) => named.get(toKey(kind, id))?.find((entry) => entry.id === id),
  };
}
