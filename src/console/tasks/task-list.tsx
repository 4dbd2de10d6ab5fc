import type { JSX } from 'preact';
import type { SessionInfo } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { type Card, CardList } from '../parts/card-list.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSessions } from './use-sessions.ts';

/** The tasks, the newest first. */
export function TaskList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { sessions, fault, more } = useSessions();
  const { run, isBusy, fault: moreFault } = useAction();
  return (
    <>
      <ListHead page="tasks" verb="New task" />
      <CardList page="tasks" name="Tasks" cards={sessions?.map(cardOf)} chosen={chosen} fault={fault ?? moreFault}>
        <EmptyState title="No tasks yet">
          Say what the agent is to do on the web; what it does and finds stands here.
        </EmptyState>
      </CardList>
      {more !== null && (
        <button type="button" class="wide" disabled={isBusy} onClick={() => void run(more)}>
          Show older
        </button>
      )}
    </>
  );
}

function cardOf({ sessionId, title, task, status, createdAt }: SessionInfo): Card {
  return {
    id: sessionId,
    title: title ?? task,
    line: (
      <>
        <StatusBadge status={status} />
        <TimeAgo at={createdAt} />
      </>
    ),
  };
}
