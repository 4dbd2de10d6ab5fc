import type { Database } from './database.ts';

/** How many sessions that start or live and active browsers each worker owns; who owns none is not among them. */
export async function liveSandboxes(db: Database): Promise<ReadonlyMap<string, number>> {
  const sessions = await db
    .selectFrom('sessions')
    .select((eb) => ['owner', eb.fn.countAll<number>().as('count')])
    .where('owner', 'is not', null)
    .where('status', 'in', ['created', 'running', 'idle'])
    .groupBy('owner')
    .execute();
  const browsers = await db
    .selectFrom('browsers')
    .select((eb) => ['owner', eb.fn.countAll<number>().as('count')])
    .where('owner', 'is not', null)
    .where('status', '=', 'active')
    .groupBy('owner')
    .execute();
  const owned = new Map<string, number>();
  for (const { owner, count } of [...sessions, ...browsers])
    if (owner !== null) owned.set(owner, (owned.get(owner) ?? 0) + count);
  return owned;
}
