import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { ProfileList } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { profileName } from '../profiles/profile-name.ts';
import { Field } from './fields.tsx';

/** Chooses one of the newest hundred profiles, or none. */
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
