import type { JSX } from 'preact';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import type { V3Session } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { goTo } from '../place/use-place.ts';
import { isAlive } from './v3-states.ts';

/** What a V3 session is called and how it is, and what ends it. */
export function V3Head(props: {
  readonly session: V3Session;
  /** Its latest task; undefined before it is known. */
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
          {session.status === 'running' && (
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
