import type { JSX } from 'preact';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import type { V2Session } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { goTo } from '../place/use-place.ts';

/** What a V2 session is called and how it is, and what ends it. */
export function V2Head(props: {
  readonly session: V2Session;
  /** Its latest task; undefined before it is known. */
  readonly latest: ConsoleRun | undefined;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { session, latest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const path = `api/v2/sessions/${session.id}`;
  const task = session.tasks.at(-1);
  // A session that has ended is what its latest task is.
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
