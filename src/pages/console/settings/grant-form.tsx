import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';
import { wantedGrant } from './wanted-grant.ts';

const microsPerUsd = 1_000_000;

/** Changes what the project is given, for what begins from then on. */
export function GrantForm(): JSX.Element {
  const { api, login, say, refresh } = useSession();
  const { run, isBusy, fault } = useAction();
  const { creditMicros, sessionsMax, activeMax, zeroDataRetention } = login.project;
  return (
    <form
      class="card"
      aria-labelledby="grant"
      onSubmit={(event) => {
        const wanted = wantedGrant(formValues(event));
        void run(async () => {
          await api.call('PATCH', 'console/api/project', wanted);
          say('The settings were saved');
          await refresh();
        });
      }}
    >
      <h2 id="grant">Credit and limits</h2>
      <div class="fields">
        <Field label="Credit in US dollars" hint="Empty for no limit. Earlier spending counts">
          <input
            name="credit"
            inputMode="decimal"
            pattern="[0-9]{0,9}\.?[0-9]{0,6}"
            defaultValue={creditMicros === null ? '' : String(creditMicros / microsPerUsd)}
          />
        </Field>
        <Field
          label="Limit of active sessions and browsers"
          hint={`Empty for the limit of the service, now ${activeMax}`}
        >
          <input name="sessions" type="number" min={1} max={100_000} defaultValue={sessionsMax ?? ''} />
        </Field>
      </div>
      <label class="check">
        <input type="checkbox" name="zero" defaultChecked={zeroDataRetention} />
        <span>Zero data retention: sessions can be purged, and the project cannot use V4</span>
      </label>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Save
        </button>
      </div>
    </form>
  );
}
