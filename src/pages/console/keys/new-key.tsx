import type { JSX } from 'preact';
import type { ConsoleNewKey } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';

const dayMs = 86_400_000;

/** A form for a new key. */
export function NewKey({ onMade }: { readonly onMade: (key: string) => Promise<void> }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const make = async (name: string, days: string): Promise<void> => {
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();
    const wanted = { name: name === '' ? null : name, expiresAt };
    const { key } = await api.call<ConsoleNewKey>('POST', 'console/api/keys', wanted);
    say('The key was created: copy it now');
    await onMade(key);
  };
  return (
    <form
      class="inline"
      aria-label="New API key"
      onSubmit={(event) => {
        const form = event.currentTarget;
        const values = formValues(event);
        void run(async () => {
          await make(values.text('name'), values.text('days'));
          form.reset();
        });
      }}
    >
      <Field label="Name of the new key">
        <input name="name" maxLength={100} autoComplete="off" />
      </Field>
      <Field label="Expires">
        <select name="days">
          <option value="">Never</option>
          <option value="7">In 7 days</option>
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="365">In a year</option>
        </select>
      </Field>
      <button type="submit" disabled={isBusy}>
        Create key
      </button>
      <FaultNotice fault={fault} />
    </form>
  );
}
