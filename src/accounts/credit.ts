import type { BalanceParts } from './balance.ts';

/** Whether a project has used up what it was given to spend. Without a credit of its own it never has, and nothing is summed up. */
export async function isOutOfCredit(
  { db, spentBy }: Pick<BalanceParts, 'db' | 'spentBy'>,
  projectId: string,
): Promise<boolean> {
  const { credit_micros: credit } = await db
    .selectFrom('projects')
    .select('credit_micros')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return credit !== null && (await spentBy(projectId)) >= credit;
}
