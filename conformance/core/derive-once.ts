import type { CheckContext } from './check.ts';
import type { Recorder } from './recorder.ts';

/**
 * Derives a value from all recorded exchanges, and caches it until the next exchange. The cache is per recorder: a
 * recorder only grows, and all checks of a run share it and the target.
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
