import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';

/** Starts a run of the suite. */
export function ExaminationForm(props: {
  readonly path: string;
  readonly onStarted: () => Promise<void>;
}): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-label="Run the suite"
      onSubmit={(event) => {
        const values = formValues(event);
        void run(async () => {
          await api.call('POST', props.path, { spend: values.text('spend'), profile: values.text('profile') });
          say('The suite runs');
          await props.onStarted();
        });
      }}
    >
      <div class="fields">
        <Field label="Scope">
          <select name="profile">
            <option value="documented">The contract</option>
            <option value="full">The contract and beyond</option>
            <option value="smoke">Smoke test: five requests</option>
          </select>
        </Field>
        <Field label="Allowed costs" hint="The project pays. The suite removes the resources that it creates">
          <select name="spend">
            <option value="none">Nothing</option>
            <option value="storage">Profiles, workspaces, small files</option>
            <option value="browser">Browsers too</option>
            <option value="task">Tasks too</option>
          </select>
        </Field>
      </div>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Run the suite
        </button>
      </div>
    </form>
  );
}
