import { type OwnerColumns, isLeaving, noOwner } from '#store/workers.ts';
import { handOver } from './hand-over.ts';
import type { EngineState } from './parts.ts';

/**
 * The columns of whoever is to work on the next task of an idle session that nobody owns. An owner that takes nothing new gives the
 * session up first.
 */
export async function ownerForRun(engine: EngineState, sessionId: string): Promise<OwnerColumns> {
  const { db, owners } = engine;
  if (owners.self === null) return noOwner;
  const { owner } = await db
    .selectFrom('sessions')
    .select('owner')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  if (owner !== null && (await isLeaving(db, owner)))
    await owners.perform({ op: 'handOver', sessionId }, async () => {
      await handOver(engine, sessionId);
      return {};
    });
  return owners.next();
}
