import type { components } from '#generated/v4.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { isProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { EventRow, RunOfSession } from '#store/schema.ts';
import { findRunOr404 } from './runs.ts';
import { resultOf } from './render-run.ts';

interface Wanted extends RunOfSession {
  readonly after: number;
  readonly limit: number;
  readonly includeOutput: boolean;
}

interface Found extends Wanted {
  readonly events: readonly EventRow[];
  readonly hasMore: boolean;
}

type RunEvent = components['schemas']['RunEvent'];

/** GET /runs/{run_id}/events (contract section 6; companion 7.6): ids grow, `after` is exclusive, nothing is ever changed. */
export const listRunEvents: Operation<Caller, Wanted, Found> = {
  async decide(request, caller) {
    const found = await findRunOr404(request, caller);
    if (isProblem(found)) return found;
    const { after, limit, include_output: includeOutput } = request.query;
    return { ...found, after: Number(after), limit: Number(limit), includeOutput: includeOutput === true };
  },
  async apply(wanted, { engine, rules, scope }) {
    const types = rules.runEvents.events.map(({ event }) => event);
    // One more than asked for tells whether there is a further page.
    const events = await engine.eventsOf(wanted.run.id, { after: wanted.after, limit: wanted.limit + 1, types });
    // What an event tells of its run was written with it, which may have been after the run was looked up.
    const now = await engine.findRun(scope, wanted.run.id);
    return { ...wanted, ...now, events: events.slice(0, wanted.limit), hasMore: events.length > wanted.limit };
  },
  render: (found, caller) => ({
    status: 200,
    body: {
      events: found.events.map((event) => renderEvent(event, found, caller)),
      nextAfter: found.events.at(-1)?.id ?? found.after,
      hasMore: found.hasMore,
    },
  }),
};

function renderEvent(event: EventRow, { run, session, includeOutput }: Found, { rules, addresses }: Caller): RunEvent {
  const type = typeOf(rules, event.type);
  const stored: JsonValue = JSON.parse(event.data);
  const data: JsonObject = isJsonObject(stored) ? stored : {};
  const address = event.type === 'browser.ready' ? { live_view_url: addresses.live(session) } : {};
  const result = includeOutput && event.type === 'session.complete' ? { result: resultOf(run) } : {};
  return {
    runId: run.id,
    id: event.id,
    ts: new Date(event.created_at).toISOString(),
    type,
    data: { ...data, ...address, ...result },
  };
}

function typeOf(rules: RuleBook, event: string): string {
  const row = rules.runEvents.events.find((candidate) => candidate.event === event);
  if (row === undefined) throw new Error(`run-events: found no row for ${event}`);
  return row.type;
}
