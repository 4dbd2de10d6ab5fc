import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { ProfileList } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { RecordTable } from '../parts/record-table.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { NewProfile } from '../profiles/new-profile.tsx';
import { ProfileRow } from '../profiles/profile-row.tsx';

const columns = ['Name', 'Cookies of', 'Last used'];

const everyMs = 10_000;
const pageSize = 50;

/** Profiles: what browsers keep from one to the next. */
export function ProfilesPage(): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState('');
  const path = `api/v4/profiles?pageSize=${pageSize}&pageNumber=${page}${search === '' ? '' : `&query=${encodeURIComponent(search)}`}`;
  const { value, fault, refresh } = usePoll(path, () => api.call<ProfileList>('GET', path), everyMs);
  return (
    <>
      <h1>Profiles</h1>
      <p class="quiet">A profile keeps cookies and storage between browsers. One browser at a time can use it.</p>
      <NewProfile onMade={refresh} />
      <FaultNotice fault={fault} />
      {(search !== '' || (value?.totalItems ?? 0) > 0) && (
        <SearchField
          label="Search profiles"
          onSearch={(next) => {
            setSearch(next);
            setPage(1);
          }}
        />
      )}
      {value === undefined && fault === null && <Loading />}
      {value !== undefined && <ProfileTable list={value} isSearched={search !== ''} onChanged={refresh} />}
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}

function ProfileTable(props: {
  readonly list: ProfileList;
  readonly isSearched: boolean;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { list, isSearched, onChanged } = props;
  if (list.items.length === 0 && isSearched) return <EmptyState title="Nothing matches">Change the search.</EmptyState>;
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
