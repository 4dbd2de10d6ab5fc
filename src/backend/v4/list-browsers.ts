import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { BrowserPage, BrowserRow } from '../storage/browsers.ts';
import { renderBrowser } from './render-browser.ts';

interface Found extends BrowserPage {
  readonly rows: readonly BrowserRow[];
  readonly total: number;
}

/** GET /browsers (companion 7.1), newest first. */
export const listBrowsers: Operation<Caller, BrowserPage, Found> = {
  decide({ query }) {
    const { filterBy } = query;
    return {
      pageNumber: Number(query['pageNumber']),
      pageSize: Number(query['pageSize']),
      status: typeof filterBy === 'string' ? filterBy : null,
    };
  },
  apply: async (page, { browsers, scope }) => ({ ...page, ...(await browsers.list(scope.projectId, page)) }),
  render: ({ rows, total, pageNumber, pageSize }, caller) => ({
    status: 200,
    body: { items: rows.map((row) => renderBrowser(row, caller)), totalItems: total, pageNumber, pageSize },
  }),
};
