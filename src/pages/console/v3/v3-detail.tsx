import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import { useSpokenEnd } from '../api/use-spoken-end.ts';
import type { V3Session } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { FurtherTask } from '../parts/further-task.tsx';
import { LiveFrame } from '../parts/live-frame.tsx';
import { Recordings } from '../parts/recording.tsx';
import { Result } from '../parts/result.tsx';
import { useSessionDetail } from '../sessions/use-session-detail.ts';
import { MessageList } from '../tasks/v3-messages.tsx';
import { outputText } from './output-text.ts';
import { V3Facts } from './v3-facts.tsx';
import { V3Head } from './v3-head.tsx';
import { isAlive, isWorking } from './v3-states.ts';

const activeMs = 2_000;
const restMs = 10_000;

/** One V3 session: its browser, what was asked of it and what it did, its result and recordings, and a further task. */
export function V3Detail({ id }: { readonly id: string }): JSX.Element {
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
    // Of what a follow-up replaces, only that the session goes on is said: everything else stays as it is.
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
      {session.status === 'idle' && <FurtherTask onSend={send} />}
    </article>
  );
}
