import type { JSX } from 'preact';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import type { SessionInfo } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { goTo } from '../place/use-place.ts';
import { isActive } from './is-active.ts';

/** The title and state of a V4 session, and the buttons that end it. */
export function TaskHead(props: {
  readonly session: SessionInfo;
  /** Its latest task; undefined before it is known. */
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
