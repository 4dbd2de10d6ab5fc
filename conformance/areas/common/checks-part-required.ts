import type { CheckContext } from '../../core/check.ts';

/** What a check cannot do without. Where there is none the check ends: nobody can judge it here. */
export function required<T>(t: CheckContext, value: T | null | undefined, reason: string): T {
  return value ?? t.notTestable(reason);
}
