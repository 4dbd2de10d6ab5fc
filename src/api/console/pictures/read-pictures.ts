import type { Database } from '#store/database.ts';

/** Blob key of a step's screenshot, and the event that reports the step. */
export interface StepPicture {
  readonly eventId: number;
  readonly key: string;
}

/**
 * Returns the screenshots of a run's steps, oldest first; steps without one are left out. A step and its event are
 * written in one transaction, so the n-th event belongs to the n-th step.
 */
export async function readPictures(db: Database, runId: string): Promise<StepPicture[]> {
  const steps = await db
    .selectFrom('steps')
    .select('screenshot_key as key')
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute();
  // Events are read after the steps: a step that is written in between adds an extra event, and no event is missing.
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
