import type { JSX } from 'preact';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place/parse-place.ts';
import { NewTask } from './new-task.tsx';
import { TaskDetail } from './task-detail.tsx';
import { TaskList } from './task-list.tsx';

/** Tasks for the agent: those that were given, one of them, or a new one. Each is a session, which can be given further tasks. */
export function TasksPage({ id }: Place): JSX.Element {
  return (
    <Split page="tasks" isChosen={id !== null} list={<TaskList chosen={id} />}>
      {id === null || id === 'new' ? <NewTask key="new" /> : <TaskDetail key={id} sessionId={id} />}
    </Split>
  );
}
