import { sessionStatus } from '#generated/states.ts';
import type { JSX } from 'preact';
import { ChooseOne, EmptyState, Split } from '../parts/lists.tsx';
import { type Place, getHash, goTo } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { useCallback, useRef, useState } from 'preact/hooks';
import { useAction, useSession, useSpokenEnd } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { V3Message, V3MessageList, V3Session } from '../api/types.ts';
import { ClockTime, Facts, FaultNotice, Result, StatusBadge, TimeAgo, ReadingState } from '../parts/facts.tsx';
import { FurtherTask } from '../parts/fields.tsx';
import { LiveFrame, Recordings } from '../parts/recording.tsx';
import { costRows, useSessionDetail, workerWords } from './session-detail.ts';
import { getLine, isAlive, isWorking, messageWords, outputText } from './v3-texts.ts';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { lapses, ownPath, runSpan, formatUsdText } from '../format.ts';
import { type Happening, Timeline } from './timeline.tsx';

/** V3 sessions, which clients create over the API. */
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
  if (session === undefined) return <ReadingState of={session} fault={fault} />;
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
      <MessageList session={session} works={isWorking(session.status)} />
      {session.status === sessionStatus.idle && <FurtherTask onSend={send} />}
    </article>
  );
}

/** Title and status of a V3 session, and buttons that stop or delete the session. */
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
        ['Cost', formatUsdText(session.totalCostUsd)],
        ...costRows(runs).slice(0, 2),
        ['For the browser', formatUsdText(session.browserCostUsd)],
        ['For the proxy', formatUsdText(session.proxyCostUsd)],
        ['Ceiling', maxCostUsd && formatUsdText(maxCostUsd)],
        ['Country', session.proxyCountryCode],
        ['Mailbox', session.inboxEmail && <span class="mono">{session.inboxEmail}</span>],
        ['Files', workspaceId && <a href={getHash({ page: 'workspaces', id: workspaceId })}>Workspace</a>],
        ['Id', <span class="mono">{session.id}</span>],
      ]}
    />
  );
}

/** Requests and actions of a session with screenshots of its steps. */
function MessageList(props: { readonly session: V3Session; readonly works: boolean }): JSX.Element {
  const { session, works } = props;
  const { api } = useSession();
  const { messages, fault, earlier } = useMessages(session, works);
  const { run, isBusy, fault: earlierFault } = useAction();
  const renewed = async (index: number, id: string): Promise<string | null> => {
    const [before, after] = [messages[index - 1]?.id, messages[index + 1]?.id];
    const next = after === undefined ? '' : `&before=${after}`;
    const place = before === undefined ? next : `&after=${before}`;
    const path = `api/v3/sessions/${session.id}/messages?limit=${place === '' ? pageSize : 1}${place}`;
    const page = await api.call<V3MessageList>('GET', path);
    const address = page.messages.find((message) => message.id === id)?.screenshotUrl ?? null;
    return address === null ? null : ownPath(address, 2);
  };
  return (
    <section class="card" aria-labelledby="messages">
      <h3 id="messages">Messages and steps</h3>
      <FaultNotice fault={earlierFault} />
      {earlier !== null && (
        <button type="button" class="wide" disabled={isBusy} onClick={() => void run(earlier)}>
          Show earlier
        </button>
      )}
      <Timeline
        name="Messages and steps"
        happenings={messages.map((message, index) =>
          messageHappening(message, messages[index - 1], () => renewed(index, message.id)),
        )}
        fault={fault}
        isWorking={works}
      />
    </section>
  );
}

/** Returns a message as an entry of the timeline: requests in full, all other messages in one line. */
function messageHappening(
  message: V3Message,
  before: V3Message | undefined,
  renew: () => Promise<string | null>,
): Happening {
  const { id, createdAt, screenshotUrl } = message;
  const isStep = message.role !== 'human' && message.type !== 'completion';
  const [lapse = null] = isStep ? lapses(before?.createdAt ?? null, [createdAt]) : [];
  return {
    key: id,
    mark: <ClockTime at={createdAt} />,
    lapse,
    text: messageWords(message),
    url: null,
    isMain: true,
    shot: screenshotUrl ? { address: ownPath(screenshotUrl, 2), name: `Picture of: ${getLine(message)}`, renew } : null,
  };
}

const everyMs = 2_000;
const pageSize = 100;

/** Messages that were read, the oldest first. */
interface Messages {
  readonly messages: readonly V3Message[];
  readonly fault: Error | null;
  /** Reads earlier messages; null when the first message was read. */
  readonly earlier: (() => Promise<void>) | null;
}

/**
 * Reads the latest messages of a session, then new messages: repeatedly while the session works, else after a change of
 * the session. No message is listed twice.
 */
function useMessages({ id: sessionId, updatedAt }: Pick<V3Session, 'id' | 'updatedAt'>, works: boolean): Messages {
  const { api } = useSession();
  const [{ messages, hasEarlier }, setRead] = useState<{ messages: readonly V3Message[]; hasEarlier: boolean }>({
    messages: [],
    hasEarlier: false,
  });
  const last = useRef<string | null>(null);
  const read = useCallback(
    (place: string): Promise<V3MessageList> =>
      api.call('GET', `api/v3/sessions/${sessionId}/messages?limit=${pageSize}${place}`),
    [api, sessionId],
  );
  // At rest each change has a key of its own, because a task may begin and end between two readings of the session.
  const { fault } = usePoll(
    `${sessionId} ${works ? 'works' : updatedAt}`,
    async () => {
      for (let hasNewer = true; hasNewer; ) {
        const isFirst = last.current === null;
        const page = await read(isFirst ? '' : `&after=${String(last.current)}`);
        last.current = page.messages.at(-1)?.id ?? last.current;
        setRead((before) => ({
          messages: [...before.messages, ...page.messages.filter(isNewTo(before.messages))],
          hasEarlier: isFirst ? page.hasMore : before.hasEarlier,
        }));
        // The first page has the latest messages; omitted ones are earlier.
        hasNewer = !isFirst && page.hasMore && page.messages.length > 0;
      }
      return null;
    },
    works ? everyMs : null,
  );
  const [first] = messages;
  const earlier = async (): Promise<void> => {
    const page = await read(`&before=${String(first?.id)}`);
    setRead((before) => ({
      messages: [...page.messages.filter(isNewTo(before.messages)), ...before.messages],
      hasEarlier: page.hasMore,
    }));
  };
  return { messages, fault, earlier: hasEarlier && first !== undefined ? earlier : null };
}

/** Returns a filter for unknown messages, because two readings may overlap. */
function isNewTo(known: readonly V3Message[]): (message: V3Message) => boolean {
  const ids = new Set(known.map(({ id }) => id));
  return ({ id }) => !ids.has(id);
}
