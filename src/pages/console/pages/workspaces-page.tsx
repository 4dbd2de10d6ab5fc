import type { JSX } from 'preact';
import {
  Split,
  type Card,
  CardList,
  ListHead,
  NothingMatches,
  Pager,
  EmptyState,
  SearchField,
  usePaging,
} from '../parts/lists.tsx';
import type { ConsoleWorkspace, ConsoleWorkspaces } from '#contract/console-messages.ts';
import { type Place, goTo } from '../place.ts';
import { WorkspaceView } from './workspace-view.tsx';
import { useSession, useAction } from '../api/hooks.ts';
import { useListPoll } from '../api/polling.ts';
import type { Workspace } from '../api/types.ts';
import { TimeAgo, FaultNotice } from '../parts/facts.tsx';
import { workspaceName } from '../format.ts';
import { Field, formValues } from '../parts/fields.tsx';

/** Workspaces, whose files outlive sessions. */
export function WorkspacesPage({ id }: Place): JSX.Element {
  return (
    <Split page="workspaces" isChosen={id !== null} list={<WorkspaceList chosen={id} />}>
      {id === null || id === 'new' ? <NewWorkspace /> : <WorkspaceView key={id} id={id} />}
    </Split>
  );
}

const everyMs = 10_000;
const pageSize = 20;

/** List of workspaces, the newest first. */
function WorkspaceList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const { page, wanted, turnTo, choose } = usePaging();
  const path = `console/api/workspaces?limit=${pageSize}&page=${page}&search=${encodeURIComponent(wanted)}`;
  const { value, fault } = useListPoll(path, () => api.call<ConsoleWorkspaces>('GET', path), everyMs);
  return (
    <>
      <ListHead page="workspaces" verb="New workspace" />
      {(wanted !== '' || value?.total !== 0) && <SearchField label="Search workspaces" onSearch={choose} />}
      <CardList
        page="workspaces"
        name="Workspaces"
        cards={value?.workspaces.map(getCard)}
        chosen={chosen}
        fault={fault}
      >
        {wanted === '' ? (
          <EmptyState title="No workspaces yet">
            Each task creates a workspace for its files. Create a workspace to give files to tasks.
          </EmptyState>
        ) : (
          <NothingMatches />
        )}
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.total ?? 0} onPage={turnTo} />
    </>
  );
}

function getCard({ id, name, createdAt, updatedAt }: ConsoleWorkspace): Card {
  const line = (
    <>
      changed <TimeAgo at={updatedAt} />
    </>
  );
  return { id, title: workspaceName({ name, createdAt }), line };
}

/** A form for a new workspace. */
function NewWorkspace(): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-labelledby="new-workspace"
      onSubmit={(event) => {
        const name = formValues(event).text('name');
        void run(async () => {
          const { id } = await api.call<Workspace>('POST', 'api/v4/workspaces', { name: name === '' ? null : name });
          say('The workspace was created');
          goTo({ page: 'workspaces', id });
        });
      }}
    >
      <h2 id="new-workspace">New workspace</h2>
      <Field label="Name" hint="Retention never removes a workspace that has a name">
        <input name="name" maxLength={100} autoComplete="off" />
      </Field>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Create workspace
        </button>
      </div>
    </form>
  );
}
