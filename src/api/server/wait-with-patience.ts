import type { Enter } from '../http/enter.ts';
import type { Patience } from '#store/storage-deadline.ts';

/** Requests wait for a database that is away for `ms` milliseconds at most; what they have set going goes on when they are answered. */
export function waitWithPatience(patience: Patience, ms: number): Enter {
  return (response, work) => patience.forAnswer(ms, () => response.closed, work);
}
