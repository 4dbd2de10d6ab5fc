import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { Workspace, WorkspaceList as WorkspacePage } from '../api/types.ts';
import { useListPoll } from '../api/hooks.ts';
import { type Card, CardList } from '../parts/lists.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { workspaceName } from './workspace-name.ts';

const everyMs = 10_000;
const pageSize = 20;

/** The workspaces, the newest first. */
export function WorkspaceList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  // V3 alone lists workspaces, which all generations share.
  const path = `api/v3/workspaces?pageSize=${pageSize}&pageNumber=${page}`;
  const { value, fault } = useListPoll(path, () => api.call<WorkspacePage>('GET', path), everyMs);
  return (
    <>
      <ListHead page="workspaces" verb="New workspace" />
      <CardList page="workspaces" name="Workspaces" cards={value?.items.map(cardOf)} chosen={chosen} fault={fault}>
        <EmptyState title="No workspaces yet">
          Each task creates a workspace for its files. Create a workspace to give files to tasks.
        </EmptyState>
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}

function cardOf({ id, name, createdAt, updatedAt }: Pick<Workspace, 'id' | 'name' | 'createdAt' | 'updatedAt'>): Card {
  const line = (
    <>
      changed <TimeAgo at={updatedAt} />
    </>
  );
  return { id, title: workspaceName({ name, createdAt }), line };
}
