import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { MessageQueue, SessionInfo } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/hooks.ts';
import { CheckBox } from '../parts/check-box.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';
import { isActive } from './is-active.ts';
import { WaitingMessages } from './waiting-messages.tsx';

const everyMs = 3_000;

/** What a follow-up belongs to. */
export interface FollowUpProps {
  readonly session: SessionInfo;
  /** That the latest run worked with; undefined where there is none. */
  readonly model: string | undefined;
  readonly onSent: () => Promise<void>;
}

/** A further task for a session: at once when it is at rest, else as a message that waits for its turn or interrupts. */
export function FollowUp({ session, model, onSent }: FollowUpProps): JSX.Element {
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
      onSubmit={(event) => {
        const form = event.currentTarget;
        const values = formValues(event);
        void run(async () => {
          await send(values.text('text'), values.isTicked('interrupt'));
          form.reset();
        });
      }}
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
