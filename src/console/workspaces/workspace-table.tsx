import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { WorkspaceList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOf } from '../place/parse-place.ts';

const everyMs = 10_000;
const pageSize = 20;

/** The workspaces, the newest first. */
export function WorkspaceTable({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  // V3 alone lists workspaces, which all generations share.
  const path = `api/v3/workspaces?pageSize=${pageSize}&pageNumber=${page}`;
  const { value, fault } = usePoll(path, () => api.call<WorkspaceList>('GET', path), everyMs);
  return (
    <>
      <ListHead page="workspaces" verb="New workspace" />
      <FaultNotice fault={fault} />
      {value === undefined && fault === null && <p class="quiet">Loading…</p>}
      {value?.totalItems === 0 && (
        <EmptyState title="No workspaces yet">
          A task makes one for its files; one of your own gives files to tasks.
        </EmptyState>
      )}
      <ul class="cards" aria-label="Workspaces">
        {value?.items.map(({ id, name, updatedAt }) => (
          <li key={id}>
            <a href={hashOf({ page: 'workspaces', id })} aria-current={id === chosen ? 'true' : undefined}>
              <span class={name ? 'card-title' : 'card-title mono'}>{name ?? id.slice(0, 8)}</span>
              <span class="card-line">
                changed <TimeAgo at={updatedAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}
