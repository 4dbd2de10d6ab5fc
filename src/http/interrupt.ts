import type { Problem } from '#domain/problems.ts';
import type { Route } from './match.ts';
import type { ParsedRequest } from './operation.ts';
import type { WireRequest } from './wire.ts';

/** A request that nothing is wrong with, and that has had no effect yet. */
export interface Valid<Caller> {
  readonly request: WireRequest;
  readonly route: Route;
  readonly parsed: ParsedRequest;
  readonly caller: Caller;
}

/** Why it is refused all the same, for somebody who tests a client; null where it goes on. */
export type Interrupt<Caller> = (valid: Valid<Caller>) => Problem | null;
