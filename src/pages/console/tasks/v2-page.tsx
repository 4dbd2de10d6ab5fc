import type { JSX } from 'preact';
import { ChooseOne, EmptyState, Split } from '../parts/lists.tsx';
import { type Place, goTo } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { useRef, useState } from 'preact/hooks';
import { useAction, useSession, useSpokenEnd } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { V2OutputFileAddress, V2Session, V2Task, V2TaskItem } from '../api/types.ts';
import { Facts, FaultNotice, Loading, Result, StatusBadge, TimeAgo, ReadingState } from '../parts/facts.tsx';
import { FurtherTask } from '../parts/fields.tsx';
import { LiveFrame, Recordings } from '../parts/recording.tsx';
import { costRows, useSessionDetail, workerWords } from './session-detail.ts';
import { getPicture, isTaskWorking, outcomeWords, stepHappening } from './v2-texts.ts';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { lapses, ownPath, runSpan, formatUsdMicros, formatUsdText } from '../format.ts';
import { Timeline } from './timeline.tsx';

/** V2 sessions, which clients create directly or which V2 tasks create automatically. */
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

/** A V2 session: browser, recording, its tasks in order, and a form for the next task. */
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
  if (session === undefined) return <ReadingState of={session} fault={fault} />;
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

/** Title and status of a V2 session, and buttons that stop or delete the session. */
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
        ['Cost', totalMicros === undefined ? null : formatUsdMicros(totalMicros)],
        ['For the proxy', formatUsdText(session.proxyCost)],
        ['Shared', publicShareUrl && <a href={ownPath(publicShareUrl, 2)}>Public page</a>],
        ['Id', <span class="mono">{session.id}</span>],
      ]}
    />
  );
}

/** A task of a V2 session with its result; its steps are read when they are shown. */
function V2TaskView(props: {
  readonly item: V2TaskItem;
  /** undefined before the first response. */
  readonly seen: ConsoleRun | undefined;
  readonly isLatest: boolean;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { item, seen, isLatest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const [isOpen, setOpen] = useState(isLatest);
  const runs = seen === undefined ? [] : [seen];
  const isAtWork = isTaskWorking(item.status);
  const stop = async (): Promise<void> => {
    await api.call('PATCH', `api/v2/tasks/${item.id}`, { action: 'stop' });
    say('The task was stopped');
    await onChanged();
  };
  return (
    <section class="run" aria-label={`Task: ${item.task}`}>
      <p class="goal">{item.task}</p>
      <Facts
        rows={[
          ['Status', <StatusBadge status={item.status} outcome={seen?.outcome} reason={seen?.reason} />],
          ['Judge', outcomeWords(item.judgeVerdict)],
          ['Started', <TimeAgo at={item.createdAt} />],
          ['Duration', seen && runSpan(seen)],
          ['Model', workerWords(item.llm, runs)],
          ['Cost', item.cost && formatUsdText(item.cost)],
          ...costRows(runs),
        ]}
      />
      <FaultNotice fault={fault} />
      {isAtWork && (
        <div class="buttons">
          <button type="button" disabled={isBusy} onClick={() => void run(stop)}>
            Stop the task
          </button>
        </div>
      )}
      <Result text={item.output ?? null} />
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Steps</summary>
        {isOpen && <V2Steps taskId={item.id} isWorking={isAtWork} seen={seen} />}
      </details>
    </section>
  );
}

const everyMs = 2_000;

/** Steps of a V2 task with their screenshots, and its output files. */
function V2Steps(props: {
  readonly taskId: string;
  readonly isWorking: boolean;
  /** undefined before the first response. */
  readonly seen: ConsoleRun | undefined;
}): JSX.Element {
  const { taskId, isWorking, seen } = props;
  const { api } = useSession();
  const path = `api/v2/tasks/${taskId}`;
  const read = (): Promise<V2Task> => api.call('GET', path);
  // The end of a task has a key of its own, so that the last steps are read once more.
  const { value, fault } = usePoll(`${path} ${String(isWorking)}`, read, isWorking ? everyMs : null);
  const renewed = async (number: number): Promise<string | null> =>
    getPicture((await read()).steps.find((step) => step.number === number));
  const took = lapses(seen?.startedAt ?? null, seen?.stepsEndedAt ?? []);
  if (value === undefined && fault === null) return <Loading />;
  return (
    <>
      <Timeline
        name="Steps"
        happenings={(value?.steps ?? []).map((step, index) =>
          stepHappening(step, took[index] ?? null, () => renewed(step.number)),
        )}
        fault={fault}
        isWorking={isWorking}
      />
      <OutputFiles taskId={taskId} files={value?.outputFiles ?? []} />
    </>
  );
}

/** Output files of a V2 task, which can be saved; nothing without any. */
function OutputFiles(props: { readonly taskId: string; readonly files: V2Task['outputFiles'] }): JSX.Element | null {
  const { taskId, files } = props;
  const { api } = useSession();
  const { run, isBusy, fault } = useAction();
  if (files.length === 0) return null;
  const save = async (id: string): Promise<void> => {
    // URLs are valid for some minutes, so one is requested when needed; its response is a download.
    const { downloadUrl } = await api.call<V2OutputFileAddress>(
      'GET',
      `api/v2/files/tasks/${taskId}/output-files/${id}`,
    );
    location.assign(new URL(ownPath(downloadUrl, 2), document.baseURI));
  };
  return (
    <>
      <h3>Files</h3>
      <FaultNotice fault={fault} />
      <ul class="files">
        {files.map(({ id, fileName }) => (
          <li key={id}>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Save ${fileName}`}
              onClick={() => void run(() => save(id))}
            >
              {fileName}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
