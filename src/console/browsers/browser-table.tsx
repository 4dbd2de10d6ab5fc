import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { BrowserList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOf } from '../place/parse-place.ts';

const everyMs = 4_000;
const pageSize = 20;

/** The browsers, the newest first. */
export function BrowserTable({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const path = `api/v4/browsers?pageSize=${pageSize}&pageNumber=${page}`;
  const { value, fault } = usePoll(path, () => api.call<BrowserList>('GET', path), everyMs);
  return (
    <>
      <ListHead page="browsers" verb="New browser" />
      <FaultNotice fault={fault} />
      {value === undefined && fault === null && <p class="quiet">Loading…</p>}
      {value?.totalItems === 0 && (
        <EmptyState title="No browsers yet">
          Start one, and drive it from Playwright, Puppeteer, Selenium or with your own hands.
        </EmptyState>
      )}
      <ul class="cards" aria-label="Browsers">
        {value?.items.map(({ id, status, startedAt }) => (
          <li key={id}>
            <a href={hashOf({ page: 'browsers', id })} aria-current={id === chosen ? 'true' : undefined}>
              <span class="card-title mono">{id.slice(0, 8)}</span>
              <span class="card-line">
                <StatusBadge status={status} />
                <TimeAgo at={startedAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}
