import type { JSX } from 'preact';
import { useSession, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { Workspace, WorkspaceFileList, WorkspaceSize, UploadList } from '../api/types.ts';
import { bytes, workspaceName, ownPath } from '../format.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { Facts, TimeAgo, FaultNotice, ReadingState } from '../parts/facts.tsx';
import { goTo } from '../place.ts';
import { RecordTable } from '../parts/lists.tsx';
import { Field, formValues } from '../parts/fields.tsx';
import { Refusal, getWords } from '../api/create-api.ts';

const everyMs = 8_000;

/** A workspace with its files. */
export function WorkspaceView({ id }: { readonly id: string }): JSX.Element {
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
    everyMs,
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
    <form
      class="inline"
      aria-label="Upload"
      onSubmit={(event) => {
        const form = event.currentTarget;
        const files = formValues(event).files('files');
        void run(async () => {
          await upload(files);
          form.reset();
        });
      }}
    >
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

/** Uploads a file to an upload URL. Rejects with a {@link Refusal}. */
async function sendFile(path: string, file: File, contentType: string): Promise<void> {
  const response = await fetch(new URL(path, document.baseURI), {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: file,
  });
  if (response.ok) return;
  const text = await response.text();
  throw new Refusal(response.status, getWords(response.status, text.startsWith('{') ? JSON.parse(text) : null));
}
