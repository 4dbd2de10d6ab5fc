import type { Generation } from '../core/target.ts';

/** Where the suite asks the stub what reached it; no provider serves such a path. */
export const callPath = '/svc-check/calls';

/** The word in the goal of one task by which the request that it causes is known; `index` is below 10000. */
export function markFor(stamp: string, generation: Generation, index: number): string {
  return `svc-call-${stamp}-${generation}-${String(index).padStart(4, '0')}`;
}

const marks = /svc-call-[a-z0-9]+-v[234]-\d{4}/g;

/** The marks in a text, each once. */
export function marksIn(text: string): string[] {
  return [...new Set(text.match(marks))];
}
