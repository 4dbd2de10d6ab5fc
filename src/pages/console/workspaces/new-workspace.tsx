import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { Workspace } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';
import { goTo } from '../place/use-place.ts';

/** A form for a new workspace. */
export function NewWorkspace(): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-labelledby="new-workspace"
      onSubmit={(event) => {
        const name = formValues(event).text('name');
        void run(async () => {
          const { id } = await api.call<Workspace>('POST', 'api/v4/workspaces', { name: name === '' ? null : name });
          say('The workspace was created');
          goTo({ page: 'workspaces', id });
        });
      }}
    >
      <h2 id="new-workspace">New workspace</h2>
      <Field label="Name" hint="Retention never removes a workspace that has a name">
        <input name="name" maxLength={100} autoComplete="off" />
      </Field>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Create workspace
        </button>
      </div>
    </form>
  );
}
