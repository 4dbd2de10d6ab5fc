import type { AgentWorld } from './agent.ts';

/**
 * The scope of a task, which tracks every operation: page steps, waits, file transfers, model calls, programs. No
 * operation starts after the scope is closed or the task has ended; `settled` waits for pending operations.
 */
export interface TaskScope {
  /** Aborts when the task ends or the scope is closed; every operation must end early then. */
  readonly signal: AbortSignal;
  /**
   * Runs an operation. Rejects with the signal's reason once the signal aborts; the operation stays pending until its
   * end.
   */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /**
   * Returns a world that runs each operation of `world` in this scope, except those of `judge`, and that has the signal
   * of this scope.
   */
  own(world: AgentWorld): AgentWorld;
  /** Aborts the signal: pending `run` calls reject, and new operations do not start. */
  close(): void;
  /** Waits until no operation is pending, for at most `withinMs` milliseconds; returns whether none is pending. */
  settled(withinMs: number): Promise<boolean>;
}

/** Opens the scope of a task. The scope closes when the task's signal aborts. */
export function openTaskScope(task: AbortSignal): TaskScope {
  const over = new AbortController();
  const signal = AbortSignal.any([task, over.signal]);
  const pending = new Set<Promise<unknown>>();
  const run = async <T>(operation: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const work = operation();
    const forget = (): void => void pending.delete(work);
    pending.add(work);
    work.then(forget, forget);
    return whileOpen(signal, work);
  };
  const owned = <T extends object>(target: T): T => aroundEach(target, (_method, call) => run(call));
  return {
    signal,
    run,
    own: (world) => ({
      ...world,
      signal,
      tab: async () => owned(await run(() => world.tab())),
      files: owned(world.files),
      mailbox: world.mailbox === null ? null : owned(world.mailbox),
      ...(world.services === undefined ? {} : { services: owned(world.services) }),
      model: world.model === null ? null : owned(world.model),
      step: (step) => run(() => world.step(step)),
      wait: (ms) => run(() => world.wait(ms)),
    }),
    close: () => over.abort(new Error('The task has ended.')),
    async settled(withinMs) {
      const { promise: late, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(resolve, withinMs, false);
      const none = async (): Promise<boolean> => {
        while (pending.size > 0) await Promise.allSettled(pending);
        return true;
      };
      const isSettled = await Promise.race([none(), late]);
      clearTimeout(timer);
      return isSettled;
    },
  };
}

/** Settles like the work. If the signal aborts first, rejects with the reason of the signal. */
async function whileOpen<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  // The work may have aborted the signal synchronously.
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const found = await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return found;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Wraps each call of a method; may skip the call. */
export type Around = (method: string, call: () => Promise<unknown>) => Promise<unknown>;

/**
 * Returns a proxy of an object and its nested objects that passes each method call to `around`. All methods must be
 * asynchronous. Methods that are added later are included.
 */
export function aroundEach<T extends object>(target: T, around: Around): T {
  return new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member === 'object' && member !== null) return aroundEach(member, around);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> =>
        around(String(name), async () => Reflect.apply(member, of, given));
    },
  });
}
