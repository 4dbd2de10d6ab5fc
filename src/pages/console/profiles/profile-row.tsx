import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { Profile } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { profileName } from './profile-name.ts';

const shownDomains = 5;

/** One profile. */
export function ProfileRow(props: { readonly profile: Profile; readonly onChanged: () => Promise<void> }): JSX.Element {
  const { id, lastUsedAt, cookieDomains } = props.profile;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const remove = async (): Promise<void> => {
    await api.call('DELETE', `api/v4/profiles/${id}`);
    say('The profile was deleted');
    await props.onChanged();
  };
  const domains = cookieDomains ?? [];
  const more = domains.length - shownDomains;
  return (
    <tr>
      <th scope="row" class="wrap">
        {profileName(props.profile)}
        <FaultNotice fault={fault} />
      </th>
      <td class="wrap" data-label="Cookies of">
        {domains.slice(0, shownDomains).join(', ') || '—'}
        {more > 0 && ` and ${more} more`}
      </td>
      <td data-label="Last used">{lastUsedAt ? <TimeAgo at={lastUsedAt} /> : 'never'}</td>
      <td class="actions">
        <ConfirmButton
          label="Delete"
          name={`Delete the profile ${profileName(props.profile)}`}
          title={`Delete the profile ${profileName(props.profile)}?`}
          isBusy={isBusy}
          onConfirm={() => void run(remove)}
        >
          What its browsers were logged in to is forgotten.
        </ConfirmButton>
      </td>
    </tr>
  );
}
