import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';

/** Stores a key of a model provider, in the place of an earlier one. */
export function NewProviderKey(props: { readonly path: string; readonly onStored: () => Promise<void> }): JSX.Element {
  const { api, login, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="inline"
      aria-label="Key of a model provider"
      onSubmit={(event) => {
        const form = event.currentTarget;
        const values = formValues(event);
        const provider = values.text('provider');
        void run(async () => {
          await api.call('PUT', `${props.path}/${provider}`, { key: values.text('key') });
          form.reset();
          say(`The key of ${provider} was stored`);
          await props.onStored();
        });
      }}
    >
      <Field label="Provider">
        <select name="provider">
          {login.providers.map((provider) => (
            <option key={provider}>{provider}</option>
          ))}
        </select>
      </Field>
      <Field label="Provider key">
        <input name="key" type="password" required minLength={8} autoComplete="off" spellcheck={false} />
      </Field>
      <button type="submit" disabled={isBusy}>
        Store the key
      </button>
      <FaultNotice fault={fault} />
    </form>
  );
}
