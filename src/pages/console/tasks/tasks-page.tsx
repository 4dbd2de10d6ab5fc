import type { JSX } from 'preact';
import { EmptyState, Split } from '../parts/lists.tsx';
import type { Place } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { NewTask } from './new-task.tsx';
import { TaskDetail } from './task-detail.tsx';

/** V4 sessions: the list, one session, or a new task. */
export function TasksPage({ id }: Place): JSX.Element {
  const list = (
    <SessionList page="tasks" generation="v4" verb="New task" chosen={id}>
      <EmptyState title="No tasks yet">Describe a task. Its steps and its result appear here.</EmptyState>
    </SessionList>
  );
  return (
    <Split page="tasks" isChosen={id !== null} list={list}>
      {id === null || id === 'new' ? <NewTask key="new" /> : <TaskDetail key={id} sessionId={id} />}
    </Split>
  );
}
