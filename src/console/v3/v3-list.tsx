import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { V3Session, V3SessionList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';
import { type Card, CardList } from '../parts/card-list.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const everyMs = 4_000;
const pageSize = 20;

/** The V3 sessions, the newest first. */
export function V3List({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const path = `api/v3/sessions?page_size=${pageSize}&page=${page}`;
  const { value, fault } = usePoll(path, () => api.call<V3SessionList>('GET', path), everyMs);
  return (
    <>
      <ListHead page="v3" verb={null} />
      <CardList page="v3" name="V3 sessions" cards={value?.sessions.map(cardOf)} chosen={chosen} fault={fault}>
        <EmptyState title="No V3 sessions yet">
          Programs make them with POST /api/v3/sessions; here they are watched and stopped.
        </EmptyState>
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.total ?? 0} onPage={setPage} />
    </>
  );
}

function cardOf({ id, title, status, createdAt, isTaskSuccessful, lastStepSummary }: V3Session): Card {
  const line = (
    <>
      <StatusBadge status={status} isAchieved={isTaskSuccessful} reason={lastStepSummary} />
      <TimeAgo at={createdAt} />
    </>
  );
  return { id, title: title ?? null, line };
}
