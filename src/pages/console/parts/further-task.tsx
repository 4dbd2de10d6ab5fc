import type { JSX } from 'preact';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from './fault-notice.tsx';
import { Field } from './fields.tsx';
import { formValues } from './form-values.ts';

/** Sends a further task to a session that waits for one. */
export function FurtherTask({ onSend }: { readonly onSend: (task: string) => Promise<void> }): JSX.Element {
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card follow-up"
      aria-labelledby="follow-up"
      onSubmit={(event) => {
        const form = event.currentTarget;
        const task = formValues(event).text('text');
        void run(async () => {
          await onSend(task);
          form.reset();
        });
      }}
    >
      <h3 id="follow-up">Follow-up</h3>
      <Field label="Next task in this session" hint="The agent continues with the same browser state and files">
        <textarea name="text" rows={3} required />
      </Field>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  );
}
