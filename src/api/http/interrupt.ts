import type { Problem } from '#contract/problems.ts';
import type { Route, WireRequest } from '#contract/http-messages.ts';
import type { ParsedRequest } from '#operations/operation.ts';

/** A request that nothing is wrong with, and that has had no effect yet. */
export interface Valid<Caller> {
  readonly request: WireRequest;
  readonly route: Route;
  readonly parsed: ParsedRequest;
  readonly caller: Caller;
}

/** Why it is refused all the same, for somebody who tests a client; null where it goes on. */
export type Interrupt<Caller> = (valid: Valid<Caller>) => Problem | null;
