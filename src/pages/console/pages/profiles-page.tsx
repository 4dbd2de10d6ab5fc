import type { JSX } from 'preact';
import { useSession, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { ProfileList, Profile } from '../api/types.ts';
import { EmptyState, NothingMatches, Pager, RecordTable, SearchField, usePaging } from '../parts/lists.tsx';
import { FaultNotice, TimeAgo, ReadingState } from '../parts/facts.tsx';
import { Field, onFormSubmit } from '../parts/fields.tsx';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { profileName } from '../format.ts';

const columns = ['Name', 'Cookies of', 'Last used'];

const everyMs = 10_000;
const pageSize = 50;

/** Profiles, the saved state of browsers. */
export function ProfilesPage(): JSX.Element {
  const { api } = useSession();
  const { page, wanted, turnTo, choose } = usePaging();
  const query = wanted === '' ? '' : `&query=${encodeURIComponent(wanted)}`;
  const path = `api/v4/profiles?pageSize=${pageSize}&pageNumber=${page}${query}`;
  const { value, fault, refresh } = usePoll(path, () => api.call<ProfileList>('GET', path), everyMs);
  return (
    <>
      <h1>Profiles</h1>
      <p class="quiet">A profile keeps cookies and storage between browsers. One browser at a time can use it.</p>
      <NewProfile onMade={refresh} />
      {(wanted !== '' || value?.totalItems !== 0) && <SearchField label="Search profiles" onSearch={choose} />}
      <ReadingState of={value} fault={fault} />
      {value !== undefined && <ProfileTable list={value} isSearched={wanted !== ''} onChanged={refresh} />}
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={turnTo} />
    </>
  );
}

function ProfileTable(props: {
  readonly list: ProfileList;
  readonly isSearched: boolean;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { list, isSearched, onChanged } = props;
  if (list.items.length === 0 && isSearched) return <NothingMatches />;
  if (list.items.length === 0)
    return (
      <EmptyState title="No profiles yet">
        Create a profile, start a browser with it and log in there. Tasks with this profile are then logged in.
      </EmptyState>
    );
  return (
    <RecordTable name="Profiles" columns={columns}>
      {list.items.map((profile) => (
        <ProfileRow key={profile.id} profile={profile} onChanged={onChanged} />
      ))}
    </RecordTable>
  );
}

/** A form for a new profile. */
function NewProfile({ onMade }: { readonly onMade: () => Promise<void> }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="inline"
      aria-label="New profile"
      onSubmit={onFormSubmit(run, async ({ text }) => {
        await api.call('POST', 'api/v4/profiles', { name: text('name') });
        say('The profile was created');
        await onMade();
      })}
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

const shownDomains = 5;

/** Row of one profile. */
function ProfileRow(props: { readonly profile: Profile; readonly onChanged: () => Promise<void> }): JSX.Element {
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
