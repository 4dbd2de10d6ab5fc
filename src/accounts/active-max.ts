import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';

/** How many sandboxes of a project may live at the same time, where it has no limit of its own. */
export interface ActiveMax {
  of(projectId: string): Promise<number>;
  /** The same as far as it is known without looking: never more. */
  known(projectId: string): number;
}

/** What bounds by spend are found with. */
export interface SpendParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
  /** What a project has spent up to now, in micro-dollars; it never becomes less. */
  readonly spentBy: (projectId: string) => Promise<number>;
}

/** Who has just been looked at is not looked at again: to add up what was spent takes longer, the more was. */
const lookedAtMs = 10_000;

/** The same for every project. */
export function sameForAll(max: number): ActiveMax {
  return { of: async () => max, known: () => max };
}

/** That of the tier which a project has reached with what it has spent. What was spent never becomes less, so that no tier is lost. */
export function bySpend({ clock, rules, spentBy }: SpendParts): ActiveMax {
  const reached = new Map<string, { readonly max: number; readonly atMs: number }>();
  const [least, most] = [sessionsOfTier(rules.pricing, 0), sessionsOfTier(rules.pricing, Number.POSITIVE_INFINITY)];
  const known = (projectId: string): number => reached.get(projectId)?.max ?? least;
  return {
    known,
    async of(projectId) {
      const before = reached.get(projectId);
      const now = clock.now();
      if (before !== undefined && (before.max === most || now < before.atMs + lookedAtMs)) return before.max;
      const max = Math.max(sessionsOfTier(rules.pricing, await spentBy(projectId)), known(projectId));
      reached.set(projectId, { max, atMs: now });
      return max;
    },
  };
}

/** How many sessions a project that has spent so much may have at the same time (companion 10 M17); `spentMicros` are micro-dollars, from 0. */
export function sessionsOfTier({ sessionTiers }: RuleBook['pricing'], spentMicros: number): number {
  return Math.max(...sessionTiers.filter((tier) => tier.fromMicroUsd <= spentMicros).map(({ sessions }) => sessions));
}
