import type { ModelFailure, ModelUsage } from '../../model/model-call.ts';

/** What went wrong with one attempt. */
export interface Fault {
  readonly kind: ModelFailure['kind'];
  /** What the provider says it charges all the same; null where it says nothing. */
  readonly usage: ModelUsage | null;
  /** How long the provider wants to be left alone, in milliseconds; null where it names no time. */
  readonly waitMs: number | null;
  /** Status of the answer; null where there was none. */
  readonly status: number | null;
}

/** A fault of an attempt that brought no answer. */
export function silentFault(kind: Fault['kind']): Fault {
  return { kind, usage: null, waitMs: null, status: null };
}
