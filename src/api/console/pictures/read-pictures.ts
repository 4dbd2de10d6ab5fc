import type { Database } from '#store/database.ts';

/** The picture of a step under its key, and the event that tells of the step. */
export interface StepPicture {
  readonly eventId: number;
  readonly key: string;
}

/**
 * The pictures of a run's steps, oldest first; steps without one are left out. A step and its event are written in one transaction, so
 * the n-th event stands for the n-th step.
 */
export async function readPictures(db: Database, runId: string): Promise<StepPicture[]> {
  const steps = await db
    .selectFrom('steps')
    .select('screenshot_key as key')
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute();
  // Read after the steps: whatever comes between the two readings is an event too many, never one too few.
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('run_id', '=', runId)
    .where('type', '=', 'step')
    .orderBy('id')
    .limit(steps.length)
    .execute();
  return events.flatMap(({ id }, index) => {
    const key = steps[index]?.key ?? null;
    return key === null ? [] : [{ eventId: id, key }];
  });
}
