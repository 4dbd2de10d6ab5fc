import type { ServerResponse } from 'node:http';

/** Stands around the work for a request: does it, and all that it sets going, in a state of its own. */
export type Enter = (response: ServerResponse, work: () => void) => void;

/** Several of them, the first one outermost. */
export function enterAll(enters: readonly Enter[]): Enter {
  const [first, ...others] = enters;
  if (first === undefined) return (_response, work) => work();
  if (others.length === 0) return first;
  const inner = enterAll(others);
  return (response, work) => first(response, () => inner(response, work));
}
