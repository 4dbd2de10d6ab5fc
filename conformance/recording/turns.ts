import { NotRun } from '../core/outcome.ts';
import type { RecordedEvent, ExternalEnd } from '../core/recorder.ts';
import type { CdpCallName, CdpOutcome } from '../core/cdp.ts';
import type { TransportRequest } from '../core/transport.ts';

/**
 * Keys by which a replay finds the recorded event for a request. `exact` identifies the same request. If no event has
 * this key, the event with the key `kind` is used.
 */
export interface Wanted {
  exact: string;
  /**
   * Key that ignores the parts of a request that may differ in a replay, such as values derived from earlier responses.
   */
  kind: string;
}

/**
 * Returns the keys that identify an event; undefined for an interruption of the run, which is no answer to a request.
 */
export type Names = (happening: RecordedEvent) => Wanted | undefined;

/** Reason for checks whose exchange is missing in the recording. */
export const notRecorded = 'the recording holds no such exchange';

interface Slot {
  happening: RecordedEvent;
  names: Wanted | undefined;
  taken: boolean;
  waiter: Waiter | undefined;
}

interface Waiter {
  kind: string;
  /**
   * The recorded event whose exact key equals that of the request; undefined if the recording has no such event, or
   * other requests have used all of them.
   */
  slot: Slot | undefined;
  /** Aborts the wait. */
  signal: AbortSignal | undefined;
  settle: PromiseWithResolvers<RecordedEvent>;
}

/**
 * Replays the events of a recorded run in their order, at most one event in each event-loop tick. As in the recorded
 * run, all requests that follow from an event are thus registered before the next event is replayed.
 */
export class Turns {
  private readonly slots: readonly Slot[];
  private readonly byWords: ReadonlyMap<string | undefined, readonly Slot[]>;
  private readonly waiters = new Set<Waiter>();
  private readonly pauses = new Set<() => void>();
  /**
   * For each signal, the functions to call when it aborts. Each function rejects one pending request or pause, which is
   * its key in the map.
   */
  private readonly ends = new WeakMap<AbortSignal, Map<object, () => void>>();
  private hearEnd: (end: ExternalEnd) => void = () => undefined;
  private lastMs = 0;
  private first = 0;
  private scheduled = false;

  constructor(happenings: readonly RecordedEvent[], names: Names) {
    this.slots = happenings.map((happening) => ({
      happening,
      names: names(happening),
      taken: false,
      waiter: undefined,
    }));
    this.byWords = Map.groupBy(this.slots, (slot) => slot.names?.exact);
  }

  /**
   * Waits for the recorded event of a request or CDP call. Rejects with the reason of the signal on abort, and with
   * NotRun when the recording contains no such event.
   */
  next({ exact, kind }: Wanted, signal?: AbortSignal): Promise<RecordedEvent> {
    const slot = this.byWords.get(exact)?.find((one) => !one.taken && one.waiter === undefined);
    const waiter: Waiter = { kind, slot, signal, settle: Promise.withResolvers() };
    if (slot !== undefined) slot.waiter = waiter;
    this.waiters.add(waiter);
    this.onAbort(signal, waiter, () => {
      this.waiters.delete(waiter);
      if (slot !== undefined) slot.waiter = undefined;
      waiter.settle.reject(signal?.reason);
    });
    this.schedule();
    return waiter.settle.promise;
  }

  /**
   * Waits as a pause of the run does. Resolves when the next recorded event answers no pending request, because only
   * then had time passed in the recorded run. Several pauses end one after another. Rejects with the reason of the
   * signal on abort.
   */
  pause(signal?: AbortSignal): Promise<void> {
    const settle = Promise.withResolvers<void>();
    const wake = (): void => {
      this.pauses.delete(wake);
      this.forget(signal, wake);
      settle.resolve();
    };
    this.pauses.add(wake);
    this.onAbort(signal, wake, () => {
      this.pauses.delete(wake);
      settle.reject(signal?.reason);
    });
    this.schedule();
    return settle.promise;
  }

  /** End time of the last replayed exchange or CDP call, in ms since the run began; 0 before the first. */
  nowMs(): number {
    return this.lastMs;
  }

  /**
   * Registers a callback for an interruption of the recorded run from outside. The callback is called when the replay
   * reaches the position of the interruption in the recording.
   */
  onEnd(hear: (end: ExternalEnd) => void): void {
    this.hearEnd = hear;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.step();
      if (this.waiters.size > 0 || this.pauses.size > 0) this.schedule();
    });
  }

  private step(): void {
    while (this.slots[this.first]?.taken === true) this.first += 1;
    const expected = this.slots[this.first];
    if (expected !== undefined && this.give(expected)) return;
    // Time passes only when nothing else can happen.
    const [wake] = this.pauses;
    if (wake !== undefined) wake();
    else if (!this.slots.slice(this.first).some((slot) => !slot.taken && this.give(slot))) this.giveUp();
  }

  /**
   * Replays an event: passes an interruption to its callback, and any other event to the pending request that it
   * answers. Returns false if no pending request is answered by the event.
   */
  private give(slot: Slot): boolean {
    if (slot.happening.kind === 'end') {
      slot.taken = true;
      this.hearEnd(slot.happening.end);
      return true;
    }
    const waiter = slot.waiter ?? this.waiterOfKind(slot);
    if (waiter === undefined) return false;
    slot.taken = true;
    this.lastMs = getEnd(slot.happening);
    this.waiters.delete(waiter);
    this.forget(waiter.signal, waiter);
    waiter.settle.resolve(slot.happening);
    return true;
  }

  private waiterOfKind({ names }: Slot): Waiter | undefined {
    return [...this.waiters].find((waiter) => waiter.slot === undefined && waiter.kind === names?.kind);
  }

  private giveUp(): void {
    for (const waiter of this.waiters) {
      this.forget(waiter.signal, waiter);
      waiter.settle.reject(new NotRun(notRecorded));
    }
    this.waiters.clear();
  }

  /**
   * Calls `run` when a signal aborts, or at once if it has already aborted. Until then, `forget` with the same signal
   * and the same `whose` cancels this.
   */
  private onAbort(signal: AbortSignal | undefined, whose: object, run: () => void): void {
    if (signal === undefined) return;
    if (signal.aborted) {
      run();
      return;
    }
    // Adds one listener per signal, because adding a listener takes longer the more listeners the signal has.
    const known = this.ends.get(signal);
    const ends = known ?? new Map<object, () => void>();
    ends.set(whose, run);
    if (known !== undefined) return;
    this.ends.set(signal, ends);
    const listener = (): void => {
      for (const end of ends.values()) end();
      ends.clear();
    };
    signal.addEventListener('abort', listener, { once: true });
  }

  private forget(signal: AbortSignal | undefined, whose: object): void {
    if (signal !== undefined) this.ends.get(signal)?.delete(whose);
  }
}

function getEnd(happening: RecordedEvent): number {
  if (happening.kind === 'exchange') return happening.exchange.atMs + happening.exchange.durationMs;
  return happening.kind === 'cdp' ? happening.outcome.atMs : 0;
}

/** Recorded members that identify a request. */
type NamedRequest = Pick<TransportRequest, 'sentBy' | 'operation' | 'method' | 'url' | 'headers' | 'body'>;

/** Returns the exact key of a request, and the key of its kind. */
export function requestNames({ sentBy, operation, method, url, headers, body }: NamedRequest): Wanted {
  const kind = JSON.stringify(['exchange', sentBy, operation, method]);
  // The body comes last and without JSON encoding, because it is the longest part and encoding would read it once more.
  return { kind, exact: `${kind}${JSON.stringify([url, headers, body === undefined])}${body ?? ''}` };
}

/**
 * Returns the keys of a call of an automation client. The keys of a `connect` call contain no connection, because the
 * connection does not exist yet.
 */
export function callNames(
  { sentBy, client }: Pick<CdpOutcome, 'sentBy' | 'client'>,
  call: { connection: number; call: CdpCallName; words: readonly string[] },
): Wanted {
  const kind = ['cdp', sentBy, client, call.call, call.call === 'connect' ? null : call.connection];
  return { kind: JSON.stringify(kind), exact: JSON.stringify([...kind, call.words]) };
}

/**
 * Returns the keys by which a replay finds a recorded event; undefined for the end of the run, which no caller
 * requests.
 */
export function getWantedKeys(happening: RecordedEvent): Wanted | undefined {
  if (happening.kind === 'cdp') return callNames(happening.outcome, happening.outcome);
  if (happening.kind === 'end') return undefined;
  const { sentBy, operation, request } = happening.exchange;
  return requestNames({ sentBy, operation, ...request });
}
