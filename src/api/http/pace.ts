import type { Problem } from '#contract/problems.ts';
import type { Soon } from '#lib/maybe-promise.ts';
import type { Route, WireRequest } from '#contract/http-messages.ts';

/** A request of which is known who sends it and for what, and nothing else. */
export interface Asked<Caller> {
  readonly request: WireRequest;
  /** Null where no operation takes it. */
  readonly route: Route | null;
  /** Null without a usable key. */
  readonly caller: Caller | null;
}

/** What the rate of requests says about one of them. */
export interface Paced {
  /** They stand in its answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why it is not looked at; null where it is. */
  readonly refusal: Problem | null;
}

/** Where nobody counts. */
export const unpaced: Paced = { headers: {}, refusal: null };

/** Counts one request. */
export type Pace<Caller> = (asked: Asked<Caller>) => Soon<Paced>;
