import type { Database } from './database.ts';
import type { EventRow, RunRow, StepRow } from './runs.ts';

/** Which part of a session's messages is meant: event ids, both exclusive; null does not narrow. */
export interface MessageWindow {
  readonly after: number | null;
  readonly before: number | null;
  readonly limit: number;
}

/** An event that tells something of a run. */
export type RunEventRow = EventRow & { readonly run_id: string };

/**
 * At most `limit` events that are messages, oldest first: the first event of each run, which is its task, and those of the
 * named kinds. Counted from `after` when there is one, else from the newest end. Event ids only grow, so a message that comes
 * later stands behind all that were there.
 */
export async function messageEvents(
  db: Database,
  { sessionId, types }: { readonly sessionId: string; readonly types: readonly string[] },
  { after, before, limit }: MessageWindow,
): Promise<RunEventRow[]> {
  const ofRuns = db.selectFrom('events').where('session_id', '=', sessionId).where('run_id', 'is not', null);
  const tasks = ofRuns.select((eb) => eb.fn.min('id').as('id')).groupBy('run_id');
  let query = ofRuns
    .selectAll()
    .$narrowType<{ run_id: string }>()
    .where((eb) => eb.or([eb('type', 'in', [...types]), eb('id', 'in', tasks)]))
    .orderBy('id', after === null ? 'desc' : 'asc')
    .limit(limit);
  if (after !== null) query = query.where('id', '>', after);
  if (before !== null) query = query.where('id', '<', before);
  const rows = await query.execute();
  return after === null ? rows.toReversed() : rows;
}

/** The runs of those ids, by id. */
export async function runsById(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, RunRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The steps behind step events of one run that follow each other without a gap. A step and its event are written in one
 * transaction, so the n-th event stands for the n-th step.
 */
export async function stepsBehind(db: Database, events: readonly RunEventRow[]): Promise<StepRow[]> {
  const [first] = events;
  if (first === undefined) return [];
  const { earlier } = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('earlier'))
    .where('run_id', '=', first.run_id)
    .where('type', '=', 'step')
    .where('id', '<', first.id)
    .executeTakeFirstOrThrow();
  return db
    .selectFrom('steps')
    .selectAll()
    .where('run_id', '=', first.run_id)
    .orderBy('id')
    .limit(events.length)
    .offset(earlier)
    .execute();
}
