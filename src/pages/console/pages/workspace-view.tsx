import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { Workspace, WorkspaceFileList, WorkspaceSize } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/hooks.ts';
import { bytes } from '../format/bytes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Facts } from '../parts/facts.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { goTo } from '../place/use-place.ts';
import { FileTable } from '../workspaces/file-table.tsx';
import { workspaceName } from '../workspaces/workspace-name.ts';
import { UploadForm } from '../workspaces/upload-form.tsx';

const everyMs = 8_000;

/** One workspace with its files. */
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
  if (value === undefined) return <>{fault === null ? <Loading /> : <FaultNotice fault={fault} />}</>;
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
