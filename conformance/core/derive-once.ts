import type { CheckContext } from './check.ts';
import type { Recorder } from './recorder.ts';

/**
 * Returns a function that derives a value from all recorded exchanges and caches it until the next exchange. Each
 * recorder has its own cache, which all checks of the run share.
 */
export function deriveOnce<T>(derive: (t: CheckContext) => T): (t: CheckContext) => T {
  const known = new WeakMap<Recorder, { readonly count: number; readonly derived: T }>();
  return (t) => {
    const count = t.recorder.all().length;
    const last = known.get(t.recorder);
    if (last?.count === count) return last.derived;
    const derived = derive(t);
    known.set(t.recorder, { count, derived });
    return derived;
  };
}
