import type { LoggedCall } from '#domain/log-messages.ts';

/** Who looks on while calls come. */
export interface LogViewer {
  call(logged: LoggedCall): void;
  /** Calls before that id are gone. */
  kept(first: number): void;
}

/** The latest calls, oldest first. */
export interface CallLog {
  /** Names the call and keeps it. What there is to say of it is asked for when somebody looks, and once. */
  add(call: () => Omit<LoggedCall, 'id'>): void;
  all(): readonly LoggedCall[];
  /** The id of the oldest call that is kept, or of the next one. */
  first(): number;
  clear(): void;
  /** Tells somebody what comes from now on; the returned function ends that. */
  watch(viewer: LogViewer): () => void;
}

/** Keeps the latest calls, `keptMax` at most. */
export function createCallLog(keptMax: number): CallLog {
  const viewers = new Set<LogViewer>();
  let kept: KeptCall[] = [];
  let next = 1;
  return {
    add(call) {
      const logged = keptCall(next, call);
      next += 1;
      kept.push(logged);
      if (kept.length > keptMax) kept = kept.slice(-keptMax);
      for (const viewer of viewers) viewer.call(logged.read());
    },
    all: () => kept.map(({ read }) => read()),
    first: () => kept[0]?.id ?? next,
    clear() {
      kept = [];
      for (const viewer of viewers) viewer.kept(next);
    },
    watch(viewer) {
      viewers.add(viewer);
      return () => void viewers.delete(viewer);
    },
  };
}

/** A call that may not have been looked at. */
interface KeptCall {
  readonly id: number;
  readonly read: () => LoggedCall;
}

function keptCall(id: number, call: () => Omit<LoggedCall, 'id'>): KeptCall {
  let read = (): LoggedCall => {
    const known = { id, ...call() };
    // Nothing else of the call is kept.
    read = () => known;
    return known;
  };
  return { id, read: () => read() };
}
