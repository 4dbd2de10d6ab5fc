import type { CheckContext } from './check.ts';
import type { Recorder } from './recorder.ts';

/**
 * What is derived from everything that a run has seen, once for all checks that ask before something else is seen: a recorder only ever
 * grows, and every check of a run has its recorder and its target.
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
