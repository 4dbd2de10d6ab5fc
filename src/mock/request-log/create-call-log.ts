import type { LoggedCall } from '#contract/log-messages.ts';
import type { JsonValue } from '#lib/json.ts';
import { createRingBuffer } from '#lib/ring-buffer.ts';

/** A subscriber of the request log. */
export interface LogViewer {
  call(logged: LoggedCall): void;
  /** Calls before that id are gone. */
  kept(first: number): void;
}

/** The latest calls, oldest first. */
export interface CallLog {
  /** Adds a call; its details are computed once, when they are first viewed. */
  add(call: () => Omit<LoggedCall, 'id'>): void;
  /** Returns the calls with ids above `after`, at most `limit`. @defaultValue all that are kept */
  page(after?: number, limit?: number): readonly LoggedCall[];
  /** The id of the oldest call that is kept, or of the next one. */
  first(): number;
  /** The id of the next call. */
  next(): number;
  clear(): void;
  /** Notifies a subscriber of later calls; the returned function ends that. */
  watch(viewer: LogViewer): () => void;
}

/** Keeps the latest calls, `keptMax` at most. */
export function createCallLog(keptMax: number): CallLog {
  const viewers = new Set<LogViewer>();
  const kept = createRingBuffer<() => LoggedCall>(keptMax);
  return {
    add(call) {
      const read = readOnce(kept.next(), call);
      kept.add(read);
      for (const viewer of viewers) viewer.call(read());
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

/** Returns a call when it is looked at for the first time; nothing else of it is kept from then on. */
function readOnce(id: number, call: () => Omit<LoggedCall, 'id'>): () => LoggedCall {
  let read = (): LoggedCall => {
    const known = { id, ...call() };
    read = () => known;
    return known;
  };
  return () => read();
}

/** A call as the network saw it. */
export interface LogExchange {
  /** Upper case. */
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** undefined where none was read, or it is no JSON. */
  readonly body: JsonValue | undefined;
  readonly status: number;
  /** The body of the answer; undefined for none. */
  readonly answer: unknown;
}
