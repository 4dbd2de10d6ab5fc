import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';

/** A form for a new profile. */
export function NewProfile({ onMade }: { readonly onMade: () => Promise<void> }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="inline"
      aria-label="New profile"
      onSubmit={(event) => {
        const form = event.currentTarget;
        const name = formValues(event).text('name');
        void run(async () => {
          await api.call('POST', 'api/v4/profiles', { name });
          form.reset();
          say('The profile was created');
          await onMade();
        });
      }}
    >
      <Field label="Name of the new profile">
        <input name="name" required maxLength={100} autoComplete="off" />
      </Field>
      <button type="submit" disabled={isBusy}>
        Create profile
      </button>
      <FaultNotice fault={fault} />
    </form>
  );
}
