/** What a run may cost, from nothing to dispatched tasks; each level includes the ones before it. */
export const spendLevels = ['none', 'browser', 'task'] as const;

/** One level of spending. */
export type SpendLevel = (typeof spendLevels)[number];

/** True when `needed` lies within `allowed`. */
export function withinSpend(needed: SpendLevel, allowed: SpendLevel): boolean {
  return spendLevels.indexOf(needed) <= spendLevels.indexOf(allowed);
}
