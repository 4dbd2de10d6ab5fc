import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { RunList, SessionInfo } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/use-poll.ts';
import { useSpokenEnd } from '../api/use-spoken-end.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { goTo } from '../place/use-place.ts';
import { FollowUp } from './follow-up.tsx';
import { isActive } from './is-active.ts';
import { RunView } from './run-view.tsx';
import { SessionRecordings } from './session-recordings.tsx';

const activeMs = 2_000;
const restMs = 10_000;

/** One session: its tasks from the first to the latest, and a further one. */
export function TaskDetail({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const { api, say } = useSession();
  const { run: act, isBusy, fault: actFault } = useAction();
  const pace = useRef(activeMs);
  const { value, fault, refresh } = usePoll(
    sessionId,
    async () => ({
      session: await api.call<SessionInfo>('GET', `api/v4/sessions/${sessionId}`),
      runs: (await api.call<RunList>('GET', `api/v4/runs?sessionId=${sessionId}&limit=100`)).runs.toReversed(),
    }),
    pace.current,
  );
  useSpokenEnd(value?.session.status, isActive);
  if (value === undefined) return <>{fault === null ? <p class="quiet">Loading…</p> : <FaultNotice fault={fault} />}</>;
  const { session, runs } = value;
  const isWorking = isActive(session.status);
  pace.current = isWorking ? activeMs : restMs;
  const cancel = async (): Promise<void> => {
    await api.call('POST', `api/v4/runs/${session.latestRunId}/cancel`);
    say('The task was stopped');
    await refresh();
  };
  const remove = async (): Promise<void> => {
    await api.call('DELETE', `api/v4/sessions/${sessionId}`);
    say('The task was deleted');
    goTo({ page: 'tasks', id: null });
  };
  return (
    <article>
      <div class="head">
        <h2>{session.title ?? 'New task'}</h2>
        <StatusBadge status={session.status} />
        <span class="buttons">
          {isWorking && (
            <button type="button" disabled={isBusy} onClick={() => void act(cancel)}>
              Stop
            </button>
          )}
          <ConfirmButton label="Delete" title="Delete this task?" isBusy={isBusy} onConfirm={() => void act(remove)}>
            Its steps, pictures and results go with it. What it has cost stays.
          </ConfirmButton>
        </span>
      </div>
      <FaultNotice fault={actFault ?? fault} />
      {runs.map((run, index) => (
        <RunView key={run.id} run={run} isLatest={index === runs.length - 1} />
      ))}
      <SessionRecordings sessionId={sessionId} />
      <FollowUp session={session} model={runs.at(-1)?.model} onSent={refresh} />
    </article>
  );
}
