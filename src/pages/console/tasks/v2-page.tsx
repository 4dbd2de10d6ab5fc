import type { JSX } from 'preact';
import { ChooseOne, EmptyState, Split } from '../parts/lists.tsx';
import { type Place, goTo } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { useRef } from 'preact/hooks';
import { useSession, usePoll, useSpokenEnd, useAction } from '../api/hooks.ts';
import type { V2Session, V2TaskItem } from '../api/types.ts';
import { FaultNotice, Loading, StatusBadge, Facts, TimeAgo } from '../parts/facts.tsx';
import { FurtherTask } from '../parts/fields.tsx';
import { LiveFrame, Recordings } from '../parts/recording.tsx';
import { useSessionDetail } from './session-detail.ts';
import { V2TaskView } from './v2-task-view.tsx';
import { isTaskWorking } from './v2-texts.ts';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { usdOfMicros, usdOfText, ownPath } from '../format.ts';

/** V2 sessions, which programs create or tasks open automatically. */
export function V2Page({ id }: Place): JSX.Element {
  const list = (
    <SessionList page="v2" generation="v2" verb={null} chosen={id}>
      <EmptyState title="No V2 sessions yet">
        Programs create sessions with POST /api/v2/tasks. You can watch and stop them here.
      </EmptyState>
    </SessionList>
  );
  return (
    <Split page="v2" isChosen={id !== null} list={list}>
      {id === null ? <ChooseOne what="a session" /> : <V2Detail key={id} id={id} />}
    </Split>
  );
}

const activeMs = 2_000;
const restMs = 10_000;

/** A V2 session: browser, recording, its tasks in order, and a form for the next one. */
function V2Detail({ id }: { readonly id: string }): JSX.Element {
  const { api, say } = useSession();
  const pace = useRef(activeMs);
  const path = `api/v2/sessions/${id}`;
  const { value: session, fault, refresh } = usePoll(path, () => api.call<V2Session>('GET', path), pace.current);
  const latest = session?.tasks.at(-1);
  const isBusy = session?.tasks.some(({ status }) => isTaskWorking(status)) === true;
  const states = session?.tasks.map((task) => `${task.id} ${task.status}`).join(' ');
  const { runs, totalMicros } = useSessionDetail(id, { state: String(states), isWorking: isBusy });
  useSpokenEnd(latest?.status, isTaskWorking);
  if (session === undefined) return <>{fault === null ? <Loading /> : <FaultNotice fault={fault} />}</>;
  pace.current = isBusy ? activeMs : restMs;
  const send = async (task: string): Promise<void> => {
    await api.call('POST', 'api/v2/tasks', { task, sessionId: id, ...getModel(latest) });
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

function getModel(task: V2TaskItem | undefined): { llm?: string } {
  return task === undefined ? {} : { llm: task.llm };
}

/** Title and status of a V2 session, and buttons that end it. */
function V2Head(props: {
  readonly session: V2Session;
  /** Latest task of the session; undefined before it is known. */
  readonly latest: ConsoleRun | undefined;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { session, latest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const path = `api/v2/sessions/${session.id}`;
  const task = session.tasks.at(-1);
  // An ended session shows the status of its latest task.
  const status = session.status === 'active' ? session.status : (task?.status ?? session.status);
  const stop = async (): Promise<void> => {
    await api.call('PATCH', path, { action: 'stop' });
    say('The session was stopped');
    await onChanged();
  };
  const remove = async (): Promise<void> => {
    await api.call('DELETE', path);
    say('The session was deleted');
    goTo({ page: 'v2', id: null });
  };
  return (
    <>
      <div class="head">
        <h2 class="title">{task?.task ?? 'Session without a task'}</h2>
        <StatusBadge status={status} outcome={latest?.outcome} reason={latest?.reason} />
        <span class="buttons">
          {session.status === 'active' && (
            <ConfirmButton label="Stop" title="Stop this session?" isBusy={isBusy} onConfirm={() => void run(stop)}>
              Its browser ends, and with it the task that works in it. What it has done stays here.
            </ConfirmButton>
          )}
          <ConfirmButton label="Delete" title="Delete this session?" isBusy={isBusy} onConfirm={() => void run(remove)}>
            Its tasks, pictures and results go with it. What it has cost stays.
          </ConfirmButton>
        </span>
      </div>
      <FaultNotice fault={fault} />
    </>
  );
}

/** Facts of a V2 session; the costs of its tasks are shown with the tasks. */
function V2Facts(props: {
  readonly session: V2Session;
  /** Total cost; undefined before it is known. */
  readonly totalMicros: number | undefined;
}): JSX.Element {
  const { session, totalMicros } = props;
  const { finishedAt, publicShareUrl } = session;
  return (
    <Facts
      rows={[
        ['Session', session.status],
        ['Started', <TimeAgo at={session.startedAt} />],
        ['Ended', finishedAt && <TimeAgo at={finishedAt} />],
        ['Tasks', String(session.tasks.length)],
        ['After a task', session.keepAlive ? 'it waits for the next' : 'it ends'],
        ['Cost', totalMicros === undefined ? null : usdOfMicros(totalMicros)],
        ['For the proxy', usdOfText(session.proxyCost)],
        ['Shared', publicShareUrl && <a href={ownPath(publicShareUrl, 2)}>Public page</a>],
        ['Id', <span class="mono">{session.id}</span>],
      ]}
    />
  );
}
