import type { ComponentChildren, JSX } from 'preact';
import { type Action, useSession, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { ProfileList } from '../api/types.ts';
import { profileName } from '../format.ts';
import { FaultNotice } from './facts.tsx';

/** A control with a label above and a hint below. */
export function Field(props: {
  readonly label: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <label class="field">
      <span class="label">{props.label}</span>
      {props.children}
      {props.hint !== undefined && <span class="hint">{props.hint}</span>}
    </label>
  );
}

/** A checkbox with its label. */
export function CheckBox({ name, label }: { readonly name: string; readonly label: string }): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" name={name} />
      <span>{label}</span>
    </label>
  );
}

/** Selection of the country of a browser's proxy, or of no proxy. */
export function CountryField(): JSX.Element {
  const { countries } = useSession().login;
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });
  const sorted = countries
    .map((code) => ({ code, name: names.of(code.toUpperCase()) ?? code }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Field label="Country of the browser">
      <select name="country">
        <option value="">Default</option>
        <option value="none">No proxy</option>
        {sorted.map(({ code, name }) => (
          <option key={code} value={code}>
            {name} ({code})
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Selection among the newest hundred profiles, or none. */
export function ProfileField(): JSX.Element {
  const { api } = useSession();
  const { value } = usePoll('profiles', () => api.call<ProfileList>('GET', 'api/v4/profiles?pageSize=100'), null);
  return (
    <Field label="Profile" hint="Cookies and storage of earlier browsers">
      <select name="profile">
        <option value="">None</option>
        {value?.items.map((profile) => (
          <option key={profile.id} value={profile.id}>
            {profileName(profile)}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Values of a submitted form. */
export interface FormValues {
  /** Returns the trimmed text of a field; empty for a missing field. */
  readonly text: (name: string) => string;
  readonly isTicked: (name: string) => boolean;
  readonly files: (name: string) => File[];
}

/** Handler of the `submit` event of a form. */
type SubmitHandler = (event: Event & { readonly currentTarget: HTMLFormElement }) => void;

/**
 * Returns a handler that runs `work` with the values of a form, and then resets the form. If `work` rejects, the form
 * keeps its values.
 */
export function onFormSubmit(run: Action['run'], work: (values: FormValues) => Promise<void>): SubmitHandler {
  return (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = getValues(new FormData(form));
    void run(async () => {
      await work(values);
      form.reset();
    });
  };
}

function getValues(data: FormData): FormValues {
  return {
    text: (name) => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    },
    isTicked: (name) => data.has(name),
    files: (name) => data.getAll(name).filter(isChosen),
  };
}

/** Returns whether a file was chosen: an empty file field has one file without a name. */
function isChosen(value: FormDataEntryValue): value is File {
  return value instanceof File && value.name !== '';
}

/** Form that sends another task to an idle session. */
export function FurtherTask({ onSend }: { readonly onSend: (task: string) => Promise<void> }): JSX.Element {
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card follow-up"
      aria-labelledby="follow-up"
      onSubmit={onFormSubmit(run, ({ text }) => onSend(text('text')))}
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
