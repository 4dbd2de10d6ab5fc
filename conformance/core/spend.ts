/**
 * What a run may cost; each level includes the ones before it. `none` makes nothing on purpose; `storage` makes profiles,
 * workspaces and files, for which nobody is known to charge, but which would be left if they were not removed; `browser` and
 * `task` make what costs money.
 */
export const spendLevels = ['none', 'storage', 'browser', 'task'] as const;

/** One level of spending. */
export type SpendLevel = (typeof spendLevels)[number];

/** True when `needed` lies within `allowed`. */
export function withinSpend(needed: SpendLevel, allowed: SpendLevel): boolean {
  return spendLevels.indexOf(needed) <= spendLevels.indexOf(allowed);
}

/** What is judged: whether somebody answers (at most five free requests), the contract, or also what goes beyond it. */
export const profiles = ['smoke', 'documented', 'full'] as const;

/** One of the profiles. */
export type Profile = (typeof profiles)[number];
