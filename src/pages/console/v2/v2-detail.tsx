import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { V2Session, V2TaskItem } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { useSpokenEnd } from '../api/use-spoken-end.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { FurtherTask } from '../parts/further-task.tsx';
import { LiveFrame } from '../parts/live-frame.tsx';
import { Recordings } from '../parts/recording.tsx';
import { useSessionDetail } from '../sessions/use-session-detail.ts';
import { V2Head } from './v2-head.tsx';
import { V2Facts } from './v2-facts.tsx';
import { V2TaskView } from '../tasks/v2-task-view.tsx';
import { isWorking } from './v2-states.ts';

const activeMs = 2_000;
const restMs = 10_000;

/** One V2 session: its browser and recording, its tasks from the first to the latest, and a further one. */
export function V2Detail({ id }: { readonly id: string }): JSX.Element {
  const { api, say } = useSession();
  const pace = useRef(activeMs);
  const path = `api/v2/sessions/${id}`;
  const { value: session, fault, refresh } = usePoll(path, () => api.call<V2Session>('GET', path), pace.current);
  const latest = session?.tasks.at(-1);
  const isBusy = session?.tasks.some(({ status }) => isWorking(status)) === true;
  const states = session?.tasks.map((task) => `${task.id} ${task.status}`).join(' ');
  const { runs, totalMicros } = useSessionDetail(id, { state: String(states), isWorking: isBusy });
  useSpokenEnd(latest?.status, isWorking);
  if (session === undefined) return <>{fault === null ? <Loading /> : <FaultNotice fault={fault} />}</>;
  pace.current = isBusy ? activeMs : restMs;
  const send = async (task: string): Promise<void> => {
    await api.call('POST', 'api/v2/tasks', { task, sessionId: id, ...modelOf(latest) });
    say('The task was started');
    await refresh();
  };
  return (
    <article>
      <V2Head session={session} latest={runs.at(-1)} onChanged={refresh} />
      <FaultNotice fault={fault} />
      {session.liveUrl && <LiveFrame address={session.liveUrl} title="Live browser of the session" />}
      <section class="card" aria-label="Session">
        <V2Facts session={session} totalMicros={totalMicros} />
        <Recordings addresses={session.recordingUrl ? [session.recordingUrl] : []} />
      </section>
      {session.tasks.map((task) => (
        <V2TaskView
          key={task.id}
          item={task}
          seen={runs.find((run) => run.id === task.id)}
          isLatest={task === latest}
          onChanged={refresh}
        />
      ))}
      {session.status === 'active' && !isBusy && <FurtherTask onSend={send} />}
    </article>
  );
}

function modelOf(task: V2TaskItem | undefined): { llm?: string } {
  return task === undefined ? {} : { llm: task.llm };
}
