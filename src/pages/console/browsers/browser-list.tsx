import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { Browser, BrowserList as BrowserPage } from '../api/types.ts';
import { useListPoll } from '../api/hooks.ts';
import { runSpan } from '../format.ts';
import { type Card, CardList } from '../parts/lists.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { browserName } from './browser-name.ts';

const everyMs = 4_000;
const pageSize = 20;

/** The browsers, the newest first. */
export function BrowserList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const [filter, setFilter] = useState('');
  const path = `api/v4/browsers?pageSize=${pageSize}&pageNumber=${page}${filter === '' ? '' : `&filterBy=${filter}`}`;
  const { value, fault } = useListPoll(path, () => api.call<BrowserPage>('GET', path), everyMs);
  return (
    <>
      <ListHead page="browsers" verb="New browser" />
      {(filter !== '' || value?.totalItems !== 0) && (
        <div class="filter">
          <select
            aria-label="State"
            value={filter}
            onChange={(event) => {
              setFilter(event.currentTarget.value);
              setPage(1);
            }}
          >
            <option value="">All browsers</option>
            <option value="active">Active</option>
            <option value="stopped">Stopped</option>
          </select>
        </div>
      )}
      <CardList page="browsers" name="Browsers" cards={value?.items.map(cardOf)} chosen={chosen} fault={fault}>
        {filter === '' ? (
          <EmptyState title="No browsers yet">
            Start a browser. Control it from Playwright, Puppeteer, Selenium or by hand in its live view.
          </EmptyState>
        ) : (
          <EmptyState title="Nothing matches">Choose another state.</EmptyState>
        )}
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}

function cardOf(browser: Browser): Card {
  const { id, status, startedAt, finishedAt } = browser;
  return {
    id,
    title: browserName(browser),
    line: (
      <>
        <StatusBadge status={status} />
        <span class="times">
          <TimeAgo at={startedAt} />
          <span> · ran {runSpan({ startedAt, endedAt: finishedAt ?? null })}</span>
        </span>
      </>
    ),
  };
}
