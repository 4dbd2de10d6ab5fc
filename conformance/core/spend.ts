/**
 * Spend levels of a run; each level includes the preceding levels. `none` creates no resource on purpose. `storage`
 * creates profiles, workspaces and files, which are usually free and are deleted afterwards. `browser` and `task`
 * create resources that cost money.
 */
export const spendLevels = ['none', 'storage', 'browser', 'task'] as const;

/** One level of spending. */
export type SpendLevel = (typeof spendLevels)[number];

/** Returns true if `needed` is within `allowed`. */
export function withinSpend(needed: SpendLevel, allowed: SpendLevel): boolean {
  return spendLevels.indexOf(needed) <= spendLevels.indexOf(allowed);
}

/** Scope of a run: a smoke test with at most five free requests, the contract, or also rules beyond the contract. */
export const profiles = ['smoke', 'documented', 'full'] as const;

/** One of the profiles. */
export type Profile = (typeof profiles)[number];
