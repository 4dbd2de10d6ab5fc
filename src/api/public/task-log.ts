import type { RuleBook } from '#contract/rule-book.ts';
import type { Database } from '#store/database.ts';
import { type EventRow, type RunRow, type StepRow, eventsOf, stepsOf } from '#store/runs.ts';

/** What a log is made of. */
export interface TaskLogParts {
  readonly db: Database;
  readonly rules: RuleBook;
}

/** The log of a run as plain text, one line for each thing that happened, or null when there is no such run. */
export async function taskLog({ db, rules }: TaskLogParts, runId: string): Promise<string | null> {
  const run = await visibleRun(db, runId);
  if (run === undefined) return null;
  const types = rules.runEvents.events.map(({ event }) => event);
  const events = await eventsOf(db, runId, { after: 0, limit: Number.MAX_SAFE_INTEGER, types });
  const steps = (await stepsOf(db, runId)).values();
  const lines = events.map((event) => lineOf(event, steps));
  return [head(run), ...lines, ''].join('\n');
}

function visibleRun(db: Database, runId: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .selectAll('runs')
    .where('runs.id', '=', runId)
    .where('sessions.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Texts from outside stand as JSON, so that none can pretend to be a line of its own. */
function head(run: RunRow): string {
  return `${shownTime(run.created_at)} task ${run.id} ${JSON.stringify(run.task)}`;
}

/** Every step has its event, in the same order. */
function lineOf(event: EventRow, steps: Iterator<StepRow>): string {
  const start = `${shownTime(event.created_at)} ${event.type}`;
  if (event.type !== 'step') return event.data === '{}' ? start : `${start} ${event.data}`;
  const step = steps.next();
  if (step.done === true) throw new Error(`event ${event.id} tells a step that does not exist`);
  const { summary, action, url } = step.value;
  return `${start} ${JSON.stringify(summary)} ${action} at ${JSON.stringify(url)}`;
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
