import type { Generation } from '../core/target.ts';

/** Path at which the suite reads the calls that reached the stub; no provider serves it. */
export const callPath = '/svc-check/calls';

/**
 * Creates the marker word in the task of one request, by which the provider call is attributed; `index` is below 10000.
 */
export function markFor(stamp: string, generation: Generation, index: number): string {
  return `svc-call-${stamp}-${generation}-${String(index).padStart(4, '0')}`;
}

const marks = /svc-call-[a-z0-9]+-v[234]-\d{4}/g;

/** Returns the distinct markers in a text. */
export function marksIn(text: string): string[] {
  return [...new Set(text.match(marks))];
}
