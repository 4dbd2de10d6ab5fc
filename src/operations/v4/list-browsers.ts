import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { BrowserPage, BrowserRow } from '#store/browsers.ts';
import type { Label } from '#store/has-label.ts';
import { renderBrowser } from './render-browser.ts';

interface Found extends BrowserPage {
  readonly rows: readonly BrowserRow[];
  readonly total: number;
}

interface Wanted extends BrowserPage {
  /** Only browsers of this session of the agent; null for all. */
  readonly agentSessionId: unknown;
}

/** GET /browsers (companion 7.1), newest first. */
export const listBrowsers: Operation<Caller, Wanted, Found> = {
  decide({ query }) {
    const { filterBy, metadata, agentSessionId = null } = query;
    return {
      pageNumber: Number(query['pageNumber']),
      pageSize: Number(query['pageSize']),
      status: typeof filterBy === 'string' ? filterBy : null,
      labels: Array.isArray(metadata) ? metadata.map((label) => labelOf(String(label))) : [],
      agentSessionId,
    };
  },
  async apply({ agentSessionId, ...page }, { browsers, scope }) {
    // Browsers of the agent's sessions are no records of their own, and no standalone browser has such a session (decision 18).
    if (agentSessionId !== null) return { ...page, rows: [], total: 0 };
    return { ...page, ...(await browsers.list(scope.projectId, page)) };
  },
  render: ({ rows, total, pageNumber, pageSize }, caller) => ({
    status: 200,
    body: { items: rows.map((row) => renderBrowser(row, caller)), totalItems: total, pageNumber, pageSize },
  }),
};

/** `key`, or `key=value`: the first equals sign parts them. */
function labelOf(text: string): Label {
  const mark = text.indexOf('=');
  return mark === -1 ? { key: text, value: null } : { key: text.slice(0, mark), value: text.slice(mark + 1) };
}
