import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { ProfileList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Pager } from '../parts/pager.tsx';
import { RecordTable } from '../parts/record-table.tsx';
import { NewProfile } from './new-profile.tsx';
import { ProfileRow } from './profile-row.tsx';

const columns = ['Name', 'Cookies of', 'Last used'];

const everyMs = 10_000;
const pageSize = 50;

/** Profiles: what browsers keep from one to the next. */
export function ProfilesPage(): JSX.Element {
  const { api } = useSession();
  const [page, setPage] = useState(1);
  const path = `api/v4/profiles?pageSize=${pageSize}&pageNumber=${page}`;
  const { value, fault, refresh } = usePoll(path, () => api.call<ProfileList>('GET', path), everyMs);
  return (
    <>
      <h1>Profiles</h1>
      <p class="quiet">
        Cookies and storage that one browser leaves and the next one begins with. One uses it at a time.
      </p>
      <NewProfile onMade={refresh} />
      <FaultNotice fault={fault} />
      {value?.totalItems === 0 && (
        <EmptyState title="No profiles yet">
          Make one, log in with a browser that has it, and tasks are logged in.
        </EmptyState>
      )}
      {value !== undefined && value.items.length > 0 && (
        <RecordTable name="Profiles" columns={columns}>
          {value.items.map((profile) => (
            <ProfileRow key={profile.id} profile={profile} onChanged={refresh} />
          ))}
        </RecordTable>
      )}
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
    </>
  );
}
