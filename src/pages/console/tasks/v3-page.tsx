import { sessionStatus } from '#generated/states.ts';
import type { JSX } from 'preact';
import { ChooseOne, EmptyState, Split } from '../parts/lists.tsx';
import { type Place, goTo, getHash } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { useRef } from 'preact/hooks';
import { useSession, usePoll, useSpokenEnd, useAction } from '../api/hooks.ts';
import type { V3Session } from '../api/types.ts';
import { FaultNotice, Loading, Result, StatusBadge, Facts, TimeAgo } from '../parts/facts.tsx';
import { FurtherTask } from '../parts/fields.tsx';
import { LiveFrame, Recordings } from '../parts/recording.tsx';
import { useSessionDetail, costRows, workerWords } from './session-detail.ts';
import { MessageList } from './v3-messages.tsx';
import { isAlive, isWorking, outputText } from './v3-texts.ts';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { usdOfText, runSpan } from '../format.ts';

/** V3 sessions, which programs create. */
export function V3Page({ id }: Place): JSX.Element {
  const list = (
    <SessionList page="v3" generation="v3" verb={null} chosen={id}>
      <EmptyState title="No V3 sessions yet">
        Programs create sessions with POST /api/v3/sessions. You can watch and stop them here.
      </EmptyState>
    </SessionList>
  );
  return (
    <Split page="v3" isChosen={id !== null} list={list}>
      {id === null ? <ChooseOne what="a session" /> : <V3Detail key={id} id={id} />}
    </Split>
  );
}

const activeMs = 2_000;
const restMs = 10_000;

/** A V3 session: browser, messages, result, recordings, and a form for the next task. */
function V3Detail({ id }: { readonly id: string }): JSX.Element {
  const { api, say } = useSession();
  const pace = useRef(activeMs);
  const path = `api/v3/sessions/${id}`;
  const { value: session, fault, refresh } = usePoll(path, () => api.call<V3Session>('GET', path), pace.current);
  const status = session?.status ?? '';
  const { runs } = useSessionDetail(id, { state: `${status} ${session?.updatedAt}`, isWorking: isWorking(status) });
  useSpokenEnd(session?.status, isWorking);
  if (session === undefined) return <>{fault === null ? <Loading /> : <FaultNotice fault={fault} />}</>;
  pace.current = isWorking(session.status) ? activeMs : restMs;
  const send = async (task: string): Promise<void> => {
    // Of the settings that a follow-up replaces, only keepAlive is sent, so that the others keep their values.
    await api.call('POST', 'api/v3/sessions', { sessionId: id, task, model: session.model, keepAlive: true });
    say('The task was started');
    await refresh();
  };
  return (
    <article>
      <V3Head session={session} latest={runs.at(-1)} onChanged={refresh} />
      <FaultNotice fault={fault} />
      {isAlive(session.status) && session.liveUrl && (
        <LiveFrame address={session.liveUrl} title="Live browser of the session" />
      )}
      <section class="card" aria-label="Session">
        <V3Facts session={session} runs={runs} />
        <Result text={outputText(session.output)} />
        <Recordings addresses={session.recordingUrls ?? []} />
      </section>
      <MessageList session={session} isWorking={isWorking(session.status)} />
      {session.status === sessionStatus.idle && <FurtherTask onSend={send} />}
    </article>
  );
}

/** Title and status of a V3 session, and buttons that end it. */
function V3Head(props: {
  readonly session: V3Session;
  /** Latest task of the session; undefined before it is known. */
  readonly latest: ConsoleRun | undefined;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { session, latest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const path = `api/v3/sessions/${session.id}`;
  const stop = async (strategy: 'task' | 'session'): Promise<void> => {
    await api.call('POST', `${path}/stop`, { strategy });
    say(`The ${strategy} was stopped`);
    await onChanged();
  };
  const remove = async (): Promise<void> => {
    await api.call('DELETE', path);
    say('The session was deleted');
    goTo({ page: 'v3', id: null });
  };
  return (
    <>
      <div class="head">
        <h2>{session.title ?? 'Session'}</h2>
        <StatusBadge status={session.status} outcome={latest?.outcome} reason={latest?.reason} />
        <span class="buttons">
          {session.status === sessionStatus.running && (
            <button type="button" disabled={isBusy} onClick={() => void run(() => stop('task'))}>
              Stop the task
            </button>
          )}
          {isAlive(session.status) && (
            <ConfirmButton
              label="Stop"
              title="Stop this session?"
              isBusy={isBusy}
              onConfirm={() => void run(() => stop('session'))}
            >
              Its browser ends, and with it the task that works in it. What it has done stays here.
            </ConfirmButton>
          )}
          <ConfirmButton label="Delete" title="Delete this session?" isBusy={isBusy} onConfirm={() => void run(remove)}>
            Its messages, pictures and results go with it. What it has cost stays.
          </ConfirmButton>
        </span>
      </div>
      <FaultNotice fault={fault} />
    </>
  );
}

/** Facts of a V3 session, and its costs by part. */
function V3Facts(props: { readonly session: V3Session; readonly runs: readonly ConsoleRun[] }): JSX.Element {
  const { session, runs } = props;
  const latest = runs.at(-1);
  const { workspaceId, maxCostUsd } = session;
  const tokens = (session.totalInputTokens ?? 0) + (session.totalOutputTokens ?? 0);
  return (
    <Facts
      rows={[
        ['Session', session.status.replaceAll('_', ' ')],
        ['Started', <TimeAgo at={session.createdAt} />],
        ['Duration', latest && runSpan(latest)],
        ['Model', workerWords(session.model, runs)],
        ['Thinking', session.thinkingLevel],
        ['Steps', String(session.stepCount ?? 0)],
        ['Tokens', tokens.toLocaleString('en')],
        ['Cost', usdOfText(session.totalCostUsd)],
        ...costRows(runs).slice(0, 2),
        ['For the browser', usdOfText(session.browserCostUsd)],
        ['For the proxy', usdOfText(session.proxyCostUsd)],
        ['Ceiling', maxCostUsd && usdOfText(maxCostUsd)],
        ['Country', session.proxyCountryCode],
        ['Mailbox', session.inboxEmail && <span class="mono">{session.inboxEmail}</span>],
        ['Files', workspaceId && <a href={getHash({ page: 'workspaces', id: workspaceId })}>Workspace</a>],
        ['Id', <span class="mono">{session.id}</span>],
      ]}
    />
  );
}
