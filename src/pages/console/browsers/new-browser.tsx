import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { Browser } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { CheckBox } from '../parts/check-box.tsx';
import { CountryField } from '../parts/country-field.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { type FormValues, formValues } from '../parts/form-values.ts';
import { ProfileField } from '../parts/profile-field.tsx';
import { goTo } from '../place/use-place.ts';

/** A form for a new browser. */
export function NewBrowser(): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-labelledby="new-browser"
      onSubmit={(event) => {
        const values = formValues(event);
        void run(async () => {
          const { id } = await api.call<Browser>('POST', 'api/v4/browsers', wantedBrowser(values));
          say('The browser was started');
          goTo({ page: 'browsers', id });
        });
      }}
    >
      <h2 id="new-browser">New browser</h2>
      <p class="quiet">
        The browser runs and costs money until you stop it. Closing a client or this page does not stop it.
      </p>
      <div class="fields">
        <CountryField />
        <ProfileField />
        <Field label="Prepaid minutes" hint="Renewed until the browser stops; unused minutes are refunded">
          <input name="minutes" type="number" min={1} max={240} placeholder="60" />
        </Field>
      </div>
      <CheckBox name="record" label="Record a video" />
      <CheckBox name="resize" label="Allow clients to resize the window" />
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Starting…' : 'Start the browser'}
        </button>
      </div>
    </form>
  );
}

/** Only what was chosen. */
function wantedBrowser(values: FormValues): Readonly<Record<string, unknown>> {
  const [country, profile, minutes] = [values.text('country'), values.text('profile'), values.text('minutes')];
  return {
    ...(country === '' ? {} : { proxyCountryCode: country === 'none' ? null : country }),
    ...(profile === '' ? {} : { profileId: profile }),
    ...(minutes === '' ? {} : { timeout: Number(minutes) }),
    ...(values.isTicked('record') ? { enableRecording: true } : {}),
    ...(values.isTicked('resize') ? { allowResizing: true } : {}),
  };
}
