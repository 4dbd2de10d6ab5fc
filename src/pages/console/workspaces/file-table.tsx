import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { WorkspaceFileList } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { bytes } from '../format/bytes.ts';
import { ownPath } from '../format/own-path.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { RecordTable } from '../parts/record-table.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const columns = ['File', { number: 'Size' }, 'Changed'];

/** The files of a workspace, each to be saved or deleted. */
export function FileTable(props: {
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
