import type { JSX } from 'preact';
import { useAction } from '../api/use-action.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOf } from '../place/parse-place.ts';
import { useSessions } from './use-sessions.ts';

/** The tasks, the newest first. */
export function TaskList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { sessions, fault, more } = useSessions();
  const { run, isBusy, fault: moreFault } = useAction();
  return (
    <>
      <ListHead page="tasks" verb="New task" />
      <FaultNotice fault={fault ?? moreFault} />
      {sessions === undefined && fault === null && <p class="quiet">Loading…</p>}
      {sessions?.length === 0 && (
        <EmptyState title="No tasks yet">
          Say what the agent is to do on the web; what it does and finds stands here.
        </EmptyState>
      )}
      <ul class="cards" aria-label="Tasks">
        {sessions?.map(({ sessionId, title, task, status, createdAt }) => (
          <li key={sessionId}>
            <a href={hashOf({ page: 'tasks', id: sessionId })} aria-current={sessionId === chosen ? 'true' : undefined}>
              <span class="card-title">{title ?? task}</span>
              <span class="card-line">
                <StatusBadge status={status} />
                <TimeAgo at={createdAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {more !== null && (
        <button type="button" class="wide" disabled={isBusy} onClick={() => void run(more)}>
          Show older
        </button>
      )}
    </>
  );
}
