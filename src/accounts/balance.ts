import { liveStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ActiveMax } from './active-max.ts';
import { countActive } from '#store/queries/counts.ts';
import type { Database } from '#store/database.ts';
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
export interface BalanceParts {
  readonly db: Database;
  readonly rules: RuleBook;
  /** For a project without a limit of its own. */
  readonly activeMax: Pick<ActiveMax, 'of'>;
  /** What the sandboxes of a project have cost up to now, in micro-dollars. */
  spentBy(projectId: string): Promise<number>;
}

/** The balance of a project as it is now: nothing is stored that could disagree with the meters. */
export async function balanceOf(parts: BalanceParts, projectId: string): Promise<Balance> {
  const project = await parts.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return {
    projectId,
    name: project.name,
    creditMicros: project.credit_micros ?? parts.rules.pricing.account.initialCreditMicroUsd,
    spentMicros: await parts.spentBy(projectId),
    activeMax: project.sessions_max ?? (await parts.activeMax.of(projectId)),
    activeCount: await inTransaction(
      parts.db,
      (trx) => countActive(trx, projectId, liveStates(parts.rules.lifecycle, 'session')),
      { of: [projectId] },
    ),
  };
}
