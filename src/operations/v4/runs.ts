import { shownStatus } from '#contract/lifecycle.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { components } from '#generated/v4.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import type { AttachmentRow } from '#store/queries/attachments.ts';
import type { RunPlace } from '#store/queries/runs.ts';
import type { EventRow, RunOfSession } from '#store/tables/runs.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import { encodeCursor, decodeCursor } from './body.ts';
import { renderRun, renderResult, runsWithFiles, runWithFiles, type WithFiles } from './render.ts';

interface Wanted {
  readonly limit: number;
  readonly behind: RunPlace | null;
  readonly sessionId: string | null;
}

interface Found {
  readonly rows: readonly WithFiles<RunOfSession>[];
  readonly hasMore: boolean;
}

/**
 * Lists the runs of the project: GET /runs (companion 7.1). Pages use a keyset cursor, so that new runs do not shift
 * later pages.
 */
export const listRuns: Operation<RequestContext, Wanted, Found> = {
  decide({ query }) {
    const { cursor, sessionId } = query;
    const behind = typeof cursor === 'string' ? decodeCursor(cursor) : null;
    if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
    return { limit: Number(query['limit']), behind, sessionId: typeof sessionId === 'string' ? sessionId : null };
  },
  async apply({ limit, behind, sessionId }, context) {
    const { engine, scope } = context;
    // One row more than the limit shows whether another page follows.
    const rows = await engine.runsBehind(scope, { filter: { sessionId }, behind, limit: limit + 1 });
    return { rows: await runsWithFiles(rows.slice(0, limit), context), hasMore: rows.length > limit };
  },
  render({ rows, hasMore }, context) {
    const last = rows.at(-1)?.run;
    const nextCursor = hasMore && last !== undefined ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null;
    return { status: 200, body: { runs: rows.map((row) => renderRun(row, context)), nextCursor, hasMore } };
  },
};

/** Returns a run with its uploads: GET /runs/{run_id} (companion 7.1). */
export const getRun: Operation<RequestContext, RunOfSession, WithFiles<RunOfSession>> = {
  decide: findRunOr404,
  apply: runWithFiles,
  render: (found, context) => ({ status: 200, body: renderRun(found, context) }),
};

/** Returns the status of a run, which clients poll: GET /runs/{run_id}/status (companion 7.1). */
export const getRunStatus: Operation<RequestContext, RunOfSession, RunOfSession> = {
  decide: findRunOr404,
  apply: (found) => found,
  render: ({ run }, { rules }) => ({ status: 200, body: { status: shownStatus(rules, 'v4', run.status) } }),
};

/**
 * Ends a run but not its session: POST /runs/{run_id}/cancel (companion 7.1). Returns a run that has already ended
 * unchanged.
 */
export const cancelRun: Operation<RequestContext, RunOfSession, WithFiles<RunOfSession>> = {
  decide: findRunOr404,
  async apply(found, context) {
    await context.engine.stopRun(found);
    const now = await context.engine.findRun(context.scope, found.run.id);
    return now === null ? problem('run_not_found', {}) : runWithFiles(now, context);
  },
  render: (found, context) => ({ status: 200, body: renderRun(found, context) }),
};

/** Lists the uploads of a run in the order of its request: GET /runs/{run_id}/attachments (companion 7.1 and 7.5). */
export const listAttachments: Operation<RequestContext, RunOfSession, AttachmentRow[]> = {
  decide: findRunOr404,
  apply: ({ run }, { engine }) => engine.runAttachments(run.id),
  render: (attachments) => ({ status: 200, body: { attachments: attachments.map(renderAttachment) } }),
};

function renderAttachment(row: AttachmentRow): components['schemas']['Attachment'] {
  return {
    id: row.fileId,
    name: row.name,
    contentType: row.contentType,
    sizeBytes: row.size,
    status: row.uploaded === 1 ? 'uploaded' : 'pending',
  };
}

/** Returns the run in the path, or a 404 problem. Runs of other projects and API versions are treated as absent. */
function findRunOr404(request: ParsedRequest, { engine, scope }: RequestContext): MaybePromise<RunOfSession | Problem> {
  const found = engine.findRun(scope, request.path['run_id'] ?? '');
  return whenResolved(found, (run) => run ?? problem('run_not_found', {}));
}

interface ListRunEventsWanted extends RunOfSession {
  readonly after: number;
  readonly limit: number;
  readonly includeOutput: boolean;
}

interface ListRunEventsFound extends ListRunEventsWanted {
  readonly events: readonly EventRow[];
  readonly hasMore: boolean;
}

type RunEvent = components['schemas']['RunEvent'];

/**
 * Lists the events of a run with an id above `after`, in the order of their ids: GET /runs/{run_id}/events (contract
 * section 6; companion 7.6). Events never change.
 */
export const listRunEvents: Operation<RequestContext, ListRunEventsWanted, ListRunEventsFound> = {
  async decide(request, context) {
    const found = await findRunOr404(request, context);
    if (isProblem(found)) return found;
    const { after, limit, include_output: includeOutput } = request.query;
    return { ...found, after: Number(after), limit: Number(limit), includeOutput: includeOutput === true };
  },
  async apply(wanted, { engine, rules, scope }) {
    const types = rules.runEvents.events.map(({ event }) => event);
    // One row more than the limit shows whether another page follows.
    const events = await engine.runEvents(wanted.run.id, { after: wanted.after, limit: wanted.limit + 1, types });
    // The run is read again, because its state may have changed together with a newer event.
    const now = await engine.findRun(scope, wanted.run.id);
    return { ...wanted, ...now, events: events.slice(0, wanted.limit), hasMore: events.length > wanted.limit };
  },
  render: (found, context) => ({
    status: 200,
    body: {
      events: found.events.map((event) => renderEvent(event, found, context)),
      nextAfter: found.events.at(-1)?.id ?? found.after,
      hasMore: found.hasMore,
    },
  }),
};

function renderEvent(
  event: EventRow,
  { run, session, includeOutput }: ListRunEventsFound,
  { rules, addresses }: RequestContext,
): RunEvent {
  const type = eventType(rules, event.type);
  const stored: JsonValue = JSON.parse(event.data);
  const data: JsonObject = isJsonObject(stored) ? stored : {};
  const address = event.type === 'browser.ready' ? { live_view_url: addresses.live(session) } : {};
  const result = includeOutput && event.type === 'session.complete' ? { result: renderResult(run) } : {};
  return {
    runId: run.id,
    id: event.id,
    ts: new Date(event.createdAt).toISOString(),
    type,
    data: { ...data, ...address, ...result },
  };
}

function eventType(rules: RuleBook, event: string): string {
  const row = rules.runEvents.events.find((candidate) => candidate.event === event);
  if (row === undefined) throw new Error(`run-events: found no row for ${event}`);
  return row.type;
}
