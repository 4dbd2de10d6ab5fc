import type { CheckContext } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { show } from '../../core/text.ts';

/** A run that the suite has created, and the successful reads of its events. */
interface CreatedRun {
  readonly id: string;
  readonly createdAtMs: number;
  readonly reads: readonly Exchange[];
}

/**
 * Minimum number of different times in copied events. Fewer may be a coincidence, because an event may carry a time of
 * its session instead of its own time.
 */
const copiesMin = 2;

/**
 * Judges that no run lists copied events of an earlier run in which only the id of the run is replaced. A copied event
 * was shown before the later run was created, and has the same time to the millisecond.
 */
export function copiesNoEvents(t: CheckContext): void {
  const runs = createdRuns(t);
  for (const { id, createdAtMs, reads } of runs) {
    const earlier = new Map(
      runs
        .filter((run) => run.id !== id)
        .flatMap((run) => shownBefore(run, createdAtMs, t).map((text) => [text, run.id])),
    );
    for (const exchange of reads) {
      const copies = timedEvents(t, exchange, id).filter((text) => earlier.has(text));
      const times = new Set(copies.map((text) => findTime(text)));
      const [copy = ''] = copies;
      const message = `the events of the run ${id} hold ${copies.length} of the run ${earlier.get(copy)}, which were shown before the run was created: ${show(copy)}; expected its own`;
      t.expect(times.size < copiesMin, { exchange, message });
    }
  }
}

function createdRuns(t: CheckContext): readonly CreatedRun[] {
  const all = t.recorder.all().filter((exchange) => exchange.generation === 'v4' && succeeded(exchange));
  const reads = all.filter(({ operation }) => operation === 'listRunEvents');
  return all
    .filter(({ operation }) => operation === 'createRun')
    .flatMap((exchange) => {
      const id = t.jobs.run.readId(exchange);
      if (id === undefined || id === '') return [];
      const isOfRun = ({ request }: Exchange): boolean => `${request.url} ${request.body ?? ''}`.includes(id);
      return [{ id, createdAtMs: exchange.atMs, reads: reads.filter((read) => isOfRun(read)) }];
    });
}

/** Returns the events of a run that were shown before a moment, in the form of {@link timedEvents}. */
function shownBefore({ id, reads }: CreatedRun, atMs: number, t: CheckContext): string[] {
  const before = reads.filter((read) => read.atMs + read.durationMs < atMs);
  return before.flatMap((read) => timedEvents(t, read, id));
}

/** Returns the events of a read that contain the run's id and an exact time, with a placeholder for this id. */
function timedEvents(t: CheckContext, exchange: Exchange, id: string): string[] {
  const items = memberAt(exchange.json, t.target.v4?.events?.items ?? '');
  return (Array.isArray(items) ? items : [])
    .map((event) => JSON.stringify(event))
    .filter((text) => text.includes(id) && findTime(text) !== undefined)
    .map((text) => text.replaceAll(id, '{run}'));
}

/**
 * Returns the first time in a text whose fraction of a second has at least three digits and is not zero; undefined
 * without one.
 */
function findTime(text: string): string | undefined {
  return /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!0+\D)\d{3,}/.exec(text)?.[0];
}
