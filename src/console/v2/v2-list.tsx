import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Api } from '../api/create-api.ts';
import { useSession } from '../api/session-context.ts';
import type { V2SessionList, V2TaskList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';
import { type Card, CardList } from '../parts/card-list.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { latestTasks } from './latest-tasks.ts';

const everyMs = 4_000;
const pageSize = 20;

/** A page of sessions, and the tasks that they may be called by. */
interface Listed {
  readonly sessions: V2SessionList;
  readonly tasks: V2TaskList;
}

/** The V2 sessions, the newest first. */
export function V2List({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const { value, fault } = usePoll(String(page), () => read(api, page), everyMs);
  return (
    <>
      <ListHead page="v2" verb={null} />
      <CardList page="v2" name="V2 sessions" cards={value && cardsOf(value)} chosen={chosen} fault={fault}>
        <EmptyState title="No V2 sessions yet">
          Programs make them with POST /api/v2/tasks; here they are watched and stopped.
        </EmptyState>
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.sessions.totalItems ?? 0} onPage={setPage} />
    </>
  );
}

/** A session has no title: it is called by its latest task, where that is among the latest hundred of the project. */
async function read(api: Api, page: number): Promise<Listed> {
  const sessions = await api.call<V2SessionList>('GET', `api/v2/sessions?pageSize=${pageSize}&pageNumber=${page}`);
  return { sessions, tasks: await api.call<V2TaskList>('GET', 'api/v2/tasks?pageSize=100') };
}

function cardsOf({ sessions, tasks }: Listed): Card[] {
  const latest = latestTasks(tasks.items);
  return sessions.items.map(({ id, status, startedAt }) => {
    const task = latest.get(id);
    const line = (
      <>
        <StatusBadge status={task?.status ?? status} isAchieved={task?.isSuccess} reason={task?.output} />
        <TimeAgo at={startedAt} />
      </>
    );
    return { id, title: task?.task ?? null, line };
  });
}
