import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import { Field } from './fields.tsx';

/** Chooses the country that a browser leaves from. */
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
