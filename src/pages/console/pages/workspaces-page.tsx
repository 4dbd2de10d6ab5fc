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
  RecordTable,
} from '../parts/lists.tsx';
import type { ConsoleWorkspace, ConsoleWorkspaces } from '#contract/console-messages.ts';
import { type Place, goTo } from '../place.ts';
import { useSession, useAction } from '../api/hooks.ts';
import { useListPoll, usePoll } from '../api/polling.ts';
import type { Workspace, WorkspaceFileList, WorkspaceSize, UploadList } from '../api/types.ts';
import { TimeAgo, FaultNotice, Facts, ReadingState } from '../parts/facts.tsx';
import { workspaceName, bytes, ownPath } from '../format.ts';
import { Field, onFormSubmit } from '../parts/fields.tsx';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { Refusal, getWords, readJson, send } from '../api/create-api.ts';

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
      onSubmit={onFormSubmit(run, async ({ text }) => {
        const { id } = await api.call<Workspace>('POST', 'api/v4/workspaces', { name: text('name') || null });
        say('The workspace was created');
        goTo({ page: 'workspaces', id });
      })}
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

const filesEveryMs = 8_000;

/** A workspace with its files. */
function WorkspaceView({ id }: { readonly id: string }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault: removeFault } = useAction();
  const path = `api/v4/workspaces/${id}`;
  const { value, fault, refresh } = usePoll(
    path,
    async () => ({
      workspace: await api.call<Workspace>('GET', path),
      size: await api.call<WorkspaceSize>('GET', `${path}/size`),
      files: await api.call<WorkspaceFileList>('GET', `${path}/files?limit=100&includeUrls=true`),
    }),
    filesEveryMs,
  );
  if (value === undefined) return <ReadingState of={value} fault={fault} />;
  const { workspace, size, files } = value;
  const remove = async (): Promise<void> => {
    await api.call('DELETE', path);
    say('The workspace was deleted');
    goTo({ page: 'workspaces', id: null });
  };
  return (
    <article>
      <div class="head">
        <h2>{workspaceName(workspace)}</h2>
        <span class="buttons">
          <ConfirmButton
            label="Delete"
            title={`Delete ${workspaceName(workspace)}?`}
            isBusy={isBusy}
            onConfirm={() => void run(remove)}
          >
            Its files are gone for good.
          </ConfirmButton>
        </span>
      </div>
      <FaultNotice fault={removeFault ?? fault} />
      <Facts
        rows={[
          ['Used', `${bytes(size.usedBytes)} of ${bytes(size.maxBytes)}`],
          ['Created', <TimeAgo at={workspace.createdAt} />],
          ['Id', <span class="mono">{id}</span>],
        ]}
      />
      <UploadForm path={path} onStored={refresh} />
      <FileTable files={files} path={path} onChanged={refresh} />
    </article>
  );
}

const columns = ['File', { number: 'Size' }, 'Changed'];

/** Table of files, which can be saved or deleted. */
function FileTable(props: {
  readonly files: WorkspaceFileList;
  readonly path: string;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { files, path, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const remove = async (name: string): Promise<void> => {
    await api.call('DELETE', `${path}/files?path=${encodeURIComponent(name)}`);
    say(`Deleted: ${name}`);
    await onChanged();
  };
  if (files.files.length === 0)
    return <p class="quiet">No files yet. Upload a file, or start a task that writes one.</p>;
  return (
    <>
      <FaultNotice fault={fault} />
      <RecordTable name="Files of the workspace" columns={columns}>
        {files.files.map(({ path: name, size, lastModified, url }) => (
          <tr key={name}>
            <th scope="row" class="wrap">
              {url ? <a href={ownPath(url, 2)}>{name}</a> : name}
            </th>
            <td class="number" data-label="Size">
              {bytes(size)}
            </td>
            <td data-label="Changed">
              <TimeAgo at={lastModified} />
            </td>
            <td class="actions">
              <ConfirmButton
                label="Delete"
                name={`Delete ${name}`}
                title={`Delete ${name}?`}
                isBusy={isBusy}
                onConfirm={() => void run(() => remove(name))}
              >
                It is gone for good.
              </ConfirmButton>
            </td>
          </tr>
        ))}
      </RecordTable>
      {files.hasMore === true && <p class="quiet">Only the first 100 files are shown.</p>}
    </>
  );
}

/** Form that uploads files to a workspace and replaces files of the same names. */
function UploadForm(props: { readonly path: string; readonly onStored: () => Promise<void> }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const upload = async (files: readonly File[]): Promise<void> => {
    const wanted = files.map(({ name, type, size }) => ({ name, contentType: getType(type), size }));
    const { files: places } = await api.call<UploadList>('POST', `${props.path}/files/upload`, {
      files: wanted,
      allowOverrides: true,
    });
    for (const [index, { uploadUrl }] of places.entries()) {
      const file = files[index];
      if (file !== undefined) await sendFile(ownPath(uploadUrl, 2), file, getType(file.type));
    }
    say(files.length === 1 ? 'The file was stored' : `${files.length} files were stored`);
    await props.onStored();
  };
  return (
    <form class="inline" aria-label="Upload" onSubmit={onFormSubmit(run, ({ files }) => upload(files('files')))}>
      <Field label="Files to upload">
        <input name="files" type="file" multiple required />
      </Field>
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Uploading…' : 'Upload'}
      </button>
      <FaultNotice fault={fault} />
    </form>
  );
}

function getType(type: string): string {
  return type === '' ? 'application/octet-stream' : type;
}

/** Uploads a file to an upload URL. Rejects with a {@link Refusal} for an error status, and without a response. */
async function sendFile(path: string, file: File, contentType: string): Promise<void> {
  const response = await send(path, { method: 'PUT', headers: { 'content-type': contentType }, body: file });
  if (!response.ok) throw new Refusal(response.status, getWords(response.status, await readJson(response)));
}
