import type { ParsedRequest, Operation } from '../operation.ts';
import { statesShownAs } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { RunFilter } from '#store/queries/runs.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import { renderItem, type WholeTask, renderTask, wholeTask, renderState } from './render-task.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { components } from '#generated/v2.ts';
import { readBody } from './run-settings.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';

interface Page {
  readonly filter: RunFilter;
  readonly page: number;
  readonly pageSize: number;
}

interface Found extends Page {
  readonly rows: RunOfSession[];
  readonly total: number;
}

/** Lists the tasks of the project by page: GET /tasks (companion 5.4). */
export const listTasks: Operation<RequestContext, Page, Found> = {
  decide: ({ query }, { rules }) => ({
    filter: readFilter(query, rules),
    page: Number(query['pageNumber']),
    pageSize: Number(query['pageSize']),
  }),
  apply: async (wanted, { engine, scope }) => ({ ...wanted, ...(await engine.pageOfRuns(scope, wanted)) }),
  render: ({ rows, total, page, pageSize }, context) => ({
    status: 200,
    body: {
      items: rows.map((row) => renderItem(row, context)),
      totalItems: total,
      pageNumber: page,
      pageSize,
    },
  }),
};

function readFilter(query: ParsedRequest['query'], rules: RuleBook): RunFilter {
  const { sessionId, filterBy, after, before } = query;
  return {
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    statuses: typeof filterBy === 'string' ? statesShownAs(rules, 'v2', filterBy) : null,
    after: typeof after === 'string' ? parseTime(after) : null,
    before: typeof before === 'string' ? parseTime(before) : null,
  };
}

/**
 * Parses an RFC 3339 date-time, or one without offset as UTC, to milliseconds since the epoch. A leap second counts as
 * the second before it.
 */
function parseTime(text: string): number {
  const seconds = text.replace(/:60(?=[.Z+-]|$)/i, ':59');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(seconds) ? seconds : `${seconds}Z`);
}

/** Returns a task with its steps and files: GET /tasks/{task_id} (companion 5.1). */
export const getTask: Operation<RequestContext, RunOfSession, WholeTask> = {
  decide: findTaskOr404,
  apply: wholeTask,
  render: (task, context) => ({ status: 200, body: renderTask(task, context) }),
};

/** Returns the status of a task, which clients poll: GET /tasks/{task_id}/status (companion 5.1). */
export const getTaskStatus: Operation<RequestContext, RunOfSession, RunOfSession> = {
  decide: findTaskOr404,
  apply: (found) => found,
  render: (found, context) => ({ status: 200, body: renderState(found, context) }),
};

/** Returns a signed URL of a task's log: GET /tasks/{task_id}/logs (companion 5.1). */
export const getTaskLogs: Operation<RequestContext, RunOfSession, RunOfSession> = {
  async decide(request, context) {
    const found = await findTaskOr404(request, context);
    return isProblem(found) || found.run.startedAt !== null ? found : problem('task_log_missing', {});
  },
  apply: async (found) => found,
  render: ({ run }, { addresses }) => ({ status: 200, body: { downloadUrl: addresses.taskLog(run.id) } }),
};

interface Stop {
  readonly found: RunOfSession;
  readonly action: components['schemas']['TaskAction'];
}

/**
 * Stops a task: PATCH /tasks/{task_id} (companion 5.1). `stop` also ends a session that exists for the task alone
 * (V2S4).
 */
export const updateTask: Operation<RequestContext, Stop, WholeTask> = {
  async decide(request, context) {
    const found = await findTaskOr404(request, context);
    return isProblem(found) ? found : { found, action: readBody(request, 'UpdateTask').action };
  },
  async apply({ found, action }, context) {
    const { engine, scope } = context;
    const { run, session } = found;
    const takesSession = action === 'stop_task_and_session' || session.keepAlive === 0;
    await (takesSession ? engine.stop(session, 'session') : engine.stopRun(found));
    const now = await engine.findRun(scope, run.id);
    return now === null ? problem('task_not_found', {}) : wholeTask(now, context);
  },
  render: (task, context) => ({ status: 200, body: renderTask(task, context) }),
};

/** Returns the task in the path, or a 404 problem. Tasks of other projects and API versions are treated as absent. */
export function findTaskOr404(
  request: ParsedRequest,
  { engine, scope }: RequestContext,
): MaybePromise<RunOfSession | Problem> {
  const found = engine.findRun(scope, request.path['task_id'] ?? '');
  return whenResolved(found, (task) => task ?? problem('task_not_found', {}));
}
