import type { ParsedRequest } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { statesShownAs } from '#contract/run-views.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Caller } from '../common/caller.ts';
import type { RunFilter, RunOfSession } from '#store/runs.ts';
import { renderItem } from './render-task.ts';

interface Page {
  readonly filter: RunFilter;
  readonly page: number;
  readonly pageSize: number;
}

interface Found extends Page {
  readonly rows: RunOfSession[];
  readonly total: number;
}

/** GET /tasks (companion 5.4). */
export const listTasks: Operation<Caller, Page, Found> = {
  decide: ({ query }, { rules }) => ({
    filter: filterOf(query, rules),
    page: Number(query['pageNumber']),
    pageSize: Number(query['pageSize']),
  }),
  apply: async (wanted, { engine, scope }) => ({ ...wanted, ...(await engine.pageOfRuns(scope, wanted)) }),
  render: ({ rows, total, page, pageSize }, caller) => ({
    status: 200,
    body: {
      items: rows.map((row) => renderItem(row, caller)),
      totalItems: total,
      pageNumber: page,
      pageSize,
    },
  }),
};

function filterOf(query: ParsedRequest['query'], rules: RuleBook): RunFilter {
  const { sessionId, filterBy, after, before } = query;
  return {
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    statuses: typeof filterBy === 'string' ? statesShownAs(rules, 'v2', filterBy) : null,
    after: typeof after === 'string' ? timeOf(after) : null,
    before: typeof before === 'string' ? timeOf(before) : null,
  };
}

/** A date-time of RFC 3339, or one without offset in UTC, in milliseconds since the epoch; a leap second counts as the second before it. */
function timeOf(text: string): number {
  const seconds = text.replace(/:60(?=[.Z+-]|$)/i, ':59');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(seconds) ? seconds : `${seconds}Z`);
}
