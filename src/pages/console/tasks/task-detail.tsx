import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { RunList, SessionInfo } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { useSpokenEnd } from '../api/use-spoken-end.ts';
import { usdOfMicros } from '../format/money.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { useSessionDetail } from '../sessions/use-session-detail.ts';
import { FollowUp } from './follow-up.tsx';
import { isActive } from './is-active.ts';
import { RunView } from './run-view.tsx';
import { SessionRecordings } from './session-recordings.tsx';
import { TaskHead } from './task-head.tsx';

const activeMs = 2_000;
const restMs = 10_000;

/** One session: its tasks from the first to the latest, and a further one. */
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
  if (value === undefined) return <>{fault === null ? <Loading /> : <FaultNotice fault={fault} />}</>;
  const { session, runs } = value;
  pace.current = isWorking ? activeMs : restMs;
  const seenOf = (runId: string | undefined) => known.find(({ id }) => id === runId);
  return (
    <article>
      <TaskHead session={session} latest={seenOf(session.latestRunId)} onChanged={refresh} />
      <FaultNotice fault={fault} />
      {runs.length > 1 && totalMicros !== undefined && (
        <p class="quiet">
          {usdOfMicros(totalMicros)} for all tasks, with the time that the browser waited between them.
        </p>
      )}
      {runs.map((run, index) => (
        <RunView key={run.id} run={run} seen={seenOf(run.id)} isLatest={index === runs.length - 1} />
      ))}
      <SessionRecordings sessionId={sessionId} />
      <FollowUp session={session} model={runs.at(-1)?.model} onSent={refresh} />
    </article>
  );
}
