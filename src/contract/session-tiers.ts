import type { RuleBook } from './rule-book.ts';

/** How many sessions a project that has spent so much may have at the same time (companion 10 M17); `spentMicros` are micro-dollars, from 0. */
export function sessionsOfTier({ sessionTiers }: RuleBook['pricing'], spentMicros: number): number {
  return Math.max(...sessionTiers.filter((tier) => tier.fromMicroUsd <= spentMicros).map(({ sessions }) => sessions));
}
