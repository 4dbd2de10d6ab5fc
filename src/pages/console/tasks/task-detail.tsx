import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useSession, useSpokenEnd, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { RunList, SessionInfo, MessageQueue, Run } from '../api/types.ts';
import { formatUsdMicros, formatUsdText, runSpan } from '../format.ts';
import { FaultNotice, StatusBadge, ReadingState, Result, Facts, TimeAgo } from '../parts/facts.tsx';
import { useSessionDetail, costRows, workerWords } from './session-detail.ts';
import { isActive, liveAddress, resultText } from './v4-texts.ts';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { goTo, getHash } from '../place.ts';
import { CheckBox, Field, onFormSubmit } from '../parts/fields.tsx';
import { Recordings, LiveFrame } from '../parts/recording.tsx';
import { EventList, useEvents, usePictures } from './event-list.tsx';

const activeMs = 2_000;
const restMs = 10_000;

/** A V4 session: its tasks in order, and a form for the next task. */
export function TaskDetail({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const { api } = useSession();
  const pace = useRef(activeMs);
  const { value, fault, refresh } = usePoll(
    sessionId,
    async () => ({
      session: await api.call<SessionInfo>('GET', `api/v4/sessions/${sessionId}`),
      runs: (await api.call<RunList>('GET', `api/v4/runs?sessionId=${sessionId}&limit=100`)).runs.toReversed(),
    }),
    pace.current,
  );
  const status = value?.session.status ?? '';
  const isWorking = isActive(status);
  const { runs: known, totalMicros } = useSessionDetail(sessionId, {
    state: `${status} ${value?.session.latestRunId}`,
    isWorking,
  });
  useSpokenEnd(value?.session.status, isActive);
  if (value === undefined) return <ReadingState of={value} fault={fault} />;
  const { session, runs } = value;
  pace.current = isWorking ? activeMs : restMs;
  const getSeen = (runId: string | undefined) => known.find(({ id }) => id === runId);
  return (
    <article>
      <TaskHead session={session} latest={getSeen(session.latestRunId)} onChanged={refresh} />
      <FaultNotice fault={fault} />
      {runs.length > 1 && totalMicros !== undefined && (
        <p class="quiet">
          {formatUsdMicros(totalMicros)} for all tasks, with the time that the browser waited between them.
        </p>
      )}
      {runs.map((run, index) => (
        <RunView key={run.id} run={run} seen={getSeen(run.id)} isLatest={index === runs.length - 1} />
      ))}
      <SessionRecordings sessionId={sessionId} />
      <FollowUp session={session} model={runs.at(-1)?.model} onSent={refresh} />
    </article>
  );
}

/** Title and status of a V4 session, and buttons that stop or delete the session. */
function TaskHead(props: {
  readonly session: SessionInfo;
  /** Latest task of the session; undefined before it is known. */
  readonly latest: ConsoleRun | undefined;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { session, latest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const cancel = async (): Promise<void> => {
    await api.call('POST', `api/v4/runs/${session.latestRunId}/cancel`);
    say('The task was stopped');
    await onChanged();
  };
  const remove = async (): Promise<void> => {
    await api.call('DELETE', `api/v4/sessions/${session.sessionId}`);
    say('The task was deleted');
    goTo({ page: 'tasks', id: null });
  };
  return (
    <>
      <div class="head">
        <h2>{session.title ?? 'New task'}</h2>
        <StatusBadge status={session.status} outcome={latest?.outcome} reason={latest?.reason} />
        <span class="buttons">
          {isActive(session.status) && (
            <button type="button" disabled={isBusy} onClick={() => void run(cancel)}>
              Stop
            </button>
          )}
          <ConfirmButton label="Delete" title="Delete this task?" isBusy={isBusy} onConfirm={() => void run(remove)}>
            Its steps, pictures and results go with it. What it has cost stays.
          </ConfirmButton>
        </span>
      </div>
      <FaultNotice fault={fault} />
    </>
  );
}

const everyMs = 3_000;

/** Options of the follow-up form. */
export interface FollowUpProps {
  readonly session: SessionInfo;
  /** Model of the latest run; undefined without one. */
  readonly model: string | undefined;
  readonly onSent: () => Promise<void>;
}

/**
 * Form for the next task of a session. The task starts at once unless the session is working; otherwise it becomes a
 * message that waits or interrupts.
 */
function FollowUp({ session, model, onSent }: FollowUpProps): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const { sessionId } = session;
  const isWorking = isActive(session.status);
  const path = `api/v4/sessions/${sessionId}/queue`;
  const queue = usePoll(path, () => api.call<MessageQueue>('GET', path), isWorking ? everyMs : null);
  const send = async (text: string, interrupt: boolean): Promise<void> => {
    if (isWorking) await api.call('POST', path, { text, interrupt });
    else await api.call('POST', 'api/v4/runs', { task: text, sessionId, ...(model === undefined ? {} : { model }) });
    say(isWorking ? 'The message was sent' : 'The task was started');
    await Promise.all([onSent(), queue.refresh()]);
  };
  return (
    <form
      class="card follow-up"
      aria-labelledby="follow-up"
      onSubmit={onFormSubmit(run, ({ text, isTicked }) => send(text('text'), isTicked('interrupt')))}
    >
      <h3 id="follow-up">{isWorking ? 'Message to the agent' : 'Follow-up'}</h3>
      <WaitingMessages queue={queue.value} path={path} onChanged={queue.refresh} />
      <Field
        label={isWorking ? 'Instruction for the agent' : 'Next task in this session'}
        hint={
          isWorking
            ? 'The message waits until the agent has finished its current work'
            : 'The agent continues with the same browser state and files'
        }
      >
        <textarea name="text" rows={3} required />
      </Field>
      {isWorking && <CheckBox name="interrupt" label="Interrupt the agent at once" />}
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  );
}

/** Waiting messages of a session, which can be withdrawn. */
function WaitingMessages(props: {
  readonly queue: MessageQueue | undefined;
  readonly path: string;
  readonly onChanged: () => Promise<void>;
}): JSX.Element | null {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const waiting = props.queue?.queue.filter(({ status }) => status === 'pending') ?? [];
  if (waiting.length === 0 && fault === null) return null;
  return (
    <>
      <ul class="waiting" aria-label="Waiting messages">
        {waiting.map(({ id, text }) => (
          <li key={id}>
            <span>{text}</span>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Take back: ${text}`}
              onClick={() =>
                void run(async () => {
                  await api.call('DELETE', `${props.path}/${id}`);
                  say('The message was withdrawn');
                  await props.onChanged();
                })
              }
            >
              Take back
            </button>
          </li>
        ))}
      </ul>
      <FaultNotice fault={fault} />
    </>
  );
}

/** Interval of reading recordings, which appear some time after a task, with the end of its browser. */
const recordingsEveryMs = 15_000;

/** Recordings of a session's browsers, which no documented operation of V4 returns. */
function SessionRecordings({ sessionId }: { readonly sessionId: string }): JSX.Element | null {
  const { api } = useSession();
  const path = `console/api/sessions/${sessionId}/recordings`;
  const { value, fault } = usePoll(path, () => api.call<readonly string[]>('GET', path), recordingsEveryMs);
  if (value === undefined || value.length === 0) return <FaultNotice fault={fault} />;
  return (
    <section class="card" aria-label="Recordings">
      <FaultNotice fault={fault} />
      <Recordings addresses={value} />
    </section>
  );
}

/** A task of a session with its result; its steps are read when they are shown. */
function RunView(props: {
  readonly run: Run;
  /** undefined before the first response. */
  readonly seen: ConsoleRun | undefined;
  readonly isLatest: boolean;
}): JSX.Element {
  const { run, seen, isLatest } = props;
  const isWorking = isActive(run.status);
  const [isOpen, setOpen] = useState(isLatest);
  const { events, fault } = useEvents(run.id, { isRead: isOpen || isWorking, isWorking });
  const pictures = usePictures(run.id, { isRead: isOpen || isWorking, isWorking });
  const live = isWorking ? liveAddress(events) : null;
  const result = resultText(run);
  return (
    <section class="run" aria-label={`Task: ${run.title ?? run.task}`}>
      <p class="goal">{run.task}</p>
      <RunFacts run={run} seen={seen} />
      {live !== null && <LiveFrame address={live} title="Live browser of the task" />}
      <Result text={result} />
      {run.error !== null && run.error !== undefined && <p class="fault">{run.error}</p>}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Steps and events</summary>
        <EventList events={events} fault={fault ?? pictures.fault} isWorking={isWorking} findShot={pictures.findShot} />
      </details>
    </section>
  );
}

/** Facts of a V4 run; `seen` is undefined before the console's own facts are read. */
function RunFacts({ run, seen }: { readonly run: Run; readonly seen: ConsoleRun | undefined }): JSX.Element {
  const tokens = (run.totalInputTokens ?? 0) + (run.totalOutputTokens ?? 0);
  const runs = seen === undefined ? [] : [seen];
  return (
    <Facts
      rows={[
        ['Status', <StatusBadge status={run.status} outcome={seen?.outcome} />],
        ['Started', <TimeAgo at={run.createdAt} />],
        ['Duration', seen && runSpan(seen)],
        ['Model', workerWords(run.model, runs)],
        ['Tokens', tokens.toLocaleString('en')],
        ['Cost', formatUsdText(run.totalCostUsd)],
        ...costRows(runs),
        ['Files', run.workspaceId && <a href={getHash({ page: 'workspaces', id: run.workspaceId })}>Workspace</a>],
      ]}
    />
  );
}
