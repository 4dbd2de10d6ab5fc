import { randomUUID } from 'node:crypto';
import type { LoggedCall } from '#contract/log-messages.ts';
import type { JsonValue } from '#lib/json.ts';
import { createRingBuffer } from '#lib/ring-buffer.ts';

/** A subscriber of the request log. */
export interface LogViewer {
  call(logged: LoggedCall): void;
  /** Called when the log drops calls: those with an id below `first` no longer exist. */
  kept(first: number): void;
}

/** A log of the latest calls, oldest first. */
export interface CallLog {
  /** Random id of this log, because ids of calls count from 1 in every log. */
  readonly id: string;
  /** Adds a call. `call` computes its details, once and only when they are needed. */
  add(call: () => Omit<LoggedCall, 'id'>): void;
  /** Returns the oldest calls with ids above `after`, at most `limit`. @defaultValue all stored calls */
  page(after?: number, limit?: number): readonly LoggedCall[];
  /** Returns the id of the oldest stored call. For an empty log, returns the id of the next call. */
  first(): number;
  /** Returns the id of the next call. */
  next(): number;
  clear(): void;
  /** Calls the methods of `viewer` for each later change of the log. The returned function ends these calls. */
  watch(viewer: LogViewer): () => void;
}

/** Creates a log of at most `keptMax` calls. */
export function createCallLog(keptMax: number): CallLog {
  const viewers = new Set<LogViewer>();
  const kept = createRingBuffer<() => LoggedCall>(keptMax);
  return {
    id: randomUUID(),
    add(call) {
      const read = readOnce(kept.next(), call);
      const before = kept.first();
      kept.add(read);
      for (const viewer of viewers) {
        viewer.call(read());
        if (kept.first() !== before) viewer.kept(kept.first());
      }
    },
    page: (after = 0, limit = keptMax) => kept.page(after, limit).map((read) => read()),
    first: () => kept.first(),
    next: () => kept.next(),
    clear() {
      kept.clear();
      for (const viewer of viewers) viewer.kept(kept.next());
    },
    watch(viewer) {
      viewers.add(viewer);
      return () => void viewers.delete(viewer);
    },
  };
}

/**
 * Returns a function that returns a logged call. Its first invocation computes the details of the call; later
 * invocations return the same details.
 */
function readOnce(id: number, call: () => Omit<LoggedCall, 'id'>): () => LoggedCall {
  let read = (): LoggedCall => {
    const known = { id, ...call() };
    read = () => known;
    return known;
  };
  return () => read();
}

/** A call as seen on the network. */
export interface LogExchange {
  /** HTTP method of the request in upper case. */
  readonly method: string;
  /** Path of the request without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers of the request with lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed body of the request; undefined if no body was read, or for invalid JSON. */
  readonly body: JsonValue | undefined;
  readonly status: number;
  /** Body of the response; undefined without one. */
  readonly answer: unknown;
}
