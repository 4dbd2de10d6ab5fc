import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { Browser, BrowserList as BrowserPage } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';
import { type Card, CardList } from '../parts/card-list.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const everyMs = 4_000;
const pageSize = 20;

/** The browsers, the newest first. */
export function BrowserList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const path = `api/v4/browsers?pageSize=${pageSize}&pageNumber=${page}`;
  const { value, fault } = usePoll(path, () => api.call<BrowserPage>('GET', path), everyMs);
  return (
    <>
      <ListHead page="browsers" verb="New browser" />
      <CardList page="browsers" name="Browsers" cards={value?.items.map(cardOf)} chosen={chosen} fault={fault}>
        <EmptyState title="No browsers yet">
          Start one, and drive it from Playwright, Puppeteer, Selenium or with your own hands.
        </EmptyState>
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}

function cardOf({ id, status, startedAt }: Browser): Card {
  return {
    id,
    title: null,
    line: (
      <>
        <StatusBadge status={status} />
        <TimeAgo at={startedAt} />
      </>
    ),
  };
}
