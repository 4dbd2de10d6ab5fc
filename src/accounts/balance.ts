import type { Insertable } from 'kysely';
import { liveStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#store/database.ts';
import { countActive } from '#store/queries/counts.ts';
import { flag, type ProjectTable } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';

/** What a project may spend and has spent; money in micro-dollars. */
export interface Balance {
  readonly projectId: string;
  readonly name: string;
  readonly creditMicros: number;
  readonly spentMicros: number;
  /** Sandboxes that may live at the same time. */
  readonly activeMax: number;
  /** Sandboxes that live now. */
  readonly activeCount: number;
}

/** What {@link balanceOf} needs besides the project. */
export interface BalanceDeps {
  readonly db: Database;
  readonly rules: RuleBook;
  /** For a project without a limit of its own. */
  readonly activeMax: Pick<ActiveMax, 'of'>;
  /** What the sandboxes of a project have cost up to now, in micro-dollars. */
  spentBy(projectId: string): Promise<number>;
}

/** The balance of a project as it is now: nothing is stored that could disagree with the meters. */
export async function balanceOf(deps: BalanceDeps, projectId: string): Promise<Balance> {
  const project = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return {
    projectId,
    name: project.name,
    creditMicros: project.credit_micros ?? deps.rules.pricing.account.initialCreditMicroUsd,
    spentMicros: await deps.spentBy(projectId),
    activeMax: project.sessions_max ?? (await deps.activeMax.of(projectId)),
    activeCount: await inTransaction(
      deps.db,
      (trx) => countActive(trx, projectId, liveStates(deps.rules.lifecycle, 'session')),
      { of: [projectId] },
    ),
  };
}

/** What a project is given; an absent member leaves a project that exists as it is. */
export interface Grant {
  readonly zeroDataRetention?: boolean;
  /** What the project may spend in micro-dollars; null for no bound. */
  readonly creditMicros?: number | null;
  /** Its living sandboxes, at least 1; null for as many as the service gives everybody. */
  readonly sessionsMax?: number | null;
  /** Requests that it may send per second, at least 1; null for as many as the service lets everybody send. */
  readonly requestsPerSecond?: number | null;
}

/** A grant as columns of the project's row. */
export function grantColumns({
  zeroDataRetention,
  creditMicros,
  sessionsMax,
  requestsPerSecond,
}: Grant): Partial<
  Pick<Insertable<ProjectTable>, 'zero_data_retention' | 'credit_micros' | 'sessions_max' | 'requests_per_second'>
> {
  return {
    ...(zeroDataRetention === undefined ? {} : { zero_data_retention: flag(zeroDataRetention) }),
    ...(creditMicros === undefined ? {} : { credit_micros: creditMicros }),
    ...(sessionsMax === undefined ? {} : { sessions_max: sessionsMax }),
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
  };
}

/** Whether a project has used up what it was given to spend. Without a credit of its own it never has, and nothing is summed up. */
export async function isOutOfCredit(
  { db, spentBy }: Pick<BalanceDeps, 'db' | 'spentBy'>,
  projectId: string,
): Promise<boolean> {
  const { credit_micros: credit } = await db
    .selectFrom('projects')
    .select('credit_micros')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return credit !== null && (await spentBy(projectId)) >= credit;
}

/** How many sandboxes of a project may live at the same time, where it has no limit of its own. */
export interface ActiveMax {
  of(projectId: string): Promise<number>;
  /** The same as far as it is known without looking: never more. */
  known(projectId: string): number;
}

/** What bounds by spend are found with. */
export interface SpendDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
  /** What a project has spent up to now, in micro-dollars; it never becomes less. */
  readonly spentBy: (projectId: string) => Promise<number>;
}

/** Credit is checked at most once per this period, because summing the spend grows with usage. */
const lookedAtMs = 10_000;

/** The same for every project. */
export function sameForAll(max: number): ActiveMax {
  return { of: async () => max, known: () => max };
}

/** That of the tier which a project has reached with what it has spent. What was spent never becomes less, so that no tier is lost. */
export function bySpend({ clock, rules, spentBy }: SpendDeps): ActiveMax {
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
