import { liveStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { countActive } from '#store/queries/counts.ts';
import { projectById, projectCredit } from '#store/queries/projects.ts';
import { inTransaction } from '#store/transaction.ts';
import type { Database } from '#store/database.ts';

/** Credit, spend and sandboxes of a project; money in micro-dollars. */
export interface Balance {
  readonly projectId: string;
  readonly name: string;
  readonly creditMicros: number;
  readonly spentMicros: number;
  /** Maximum number of active sandboxes of the project. */
  readonly activeMax: number;
  /** Number of active sandboxes of the project. */
  readonly activeCount: number;
}

/** Dependencies of {@link readBalance}. */
export interface BalanceDeps {
  readonly db: Database;
  readonly rules: RuleBook;
  /** Default limit of active sandboxes, for projects without their own limit. */
  readonly activeMax: Pick<ActiveMax, 'of'>;
  /** Returns the spend of a project so far, in micro-dollars. */
  readonly spend: { total(projectId: string): Promise<number> };
}

/**
 * Computes the current balance of a project. The balance is not stored, so that it agrees with the recorded
 * consumption.
 */
export async function readBalance(deps: BalanceDeps, projectId: string): Promise<Balance> {
  const project = await projectById(deps.db, projectId);
  return {
    projectId,
    name: project.name,
    creditMicros: project.creditMicros ?? deps.rules.pricing.account.initialCreditMicroUsd,
    spentMicros: await deps.spend.total(projectId),
    activeMax: project.sessionsMax ?? (await deps.activeMax.of(projectId)),
    activeCount: await inTransaction(deps.db, (trx) => countActive(trx, projectId, liveStates(deps.rules.lifecycle)), {
      of: [projectId],
    }),
  };
}

/** Returns whether a project has spent its credit; false for a project without a credit limit. */
export async function isOutOfCredit(
  { db, spend }: Pick<BalanceDeps, 'db' | 'spend'>,
  projectId: string,
): Promise<boolean> {
  const credit = await projectCredit(db, projectId);
  return credit !== null && (await spend.total(projectId)) >= credit;
}

/** Default limit of active sandboxes, for projects without a limit of their own. */
export interface ActiveMax {
  of(projectId: string): Promise<number>;
  /** Returns a lower bound of the limit that `of` returns, without reading the database. */
  known(projectId: string): number;
}

/** Dependencies of {@link bySpend}. */
export interface SpendDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
  /** Returns the spend of a project so far, in micro-dollars; it never decreases. */
  readonly spentBy: (projectId: string) => Promise<number>;
}

/** Minimum interval between two computations of a project's spend in milliseconds, because a computation takes time. */
const lookedAtMs = 10_000;

/** Creates a limit that is the same for every project. */
export function sameForAll(max: number): ActiveMax {
  return { of: async () => max, known: () => max };
}

/** Creates a limit by the spend tier of a project. Spend never decreases, so a project never loses a tier. */
export function bySpend({ clock, rules, spentBy }: SpendDeps): ActiveMax {
  const reached = new Map<string, { readonly max: number; readonly atMs: number }>();
  const [least, most] = [getTierSessions(rules.pricing, 0), getTierSessions(rules.pricing, Number.POSITIVE_INFINITY)];
  const known = (projectId: string): number => reached.get(projectId)?.max ?? least;
  return {
    known,
    async of(projectId) {
      const before = reached.get(projectId);
      const now = clock.now();
      if (before !== undefined && (before.max === most || now < before.atMs + lookedAtMs)) return before.max;
      const max = Math.max(getTierSessions(rules.pricing, await spentBy(projectId)), known(projectId));
      reached.set(projectId, { max, atMs: now });
      return max;
    },
  };
}

/** Returns the maximum number of active sessions for a project's spend in micro-dollars (companion 10 M17). */
export function getTierSessions({ sessionTiers }: RuleBook['pricing'], spentMicros: number): number {
  return Math.max(...sessionTiers.filter((tier) => tier.fromMicroUsd <= spentMicros).map(({ sessions }) => sessions));
}
