import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { V2OutputFileAddress, V2Task } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ownPath } from '../format/own-path.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';

/** Files that a V2 task has made, each to be saved; nothing where it has made none. */
export function OutputFiles(props: {
  readonly taskId: string;
  readonly files: V2Task['outputFiles'];
}): JSX.Element | null {
  const { taskId, files } = props;
  const { api } = useSession();
  const { run, isBusy, fault } = useAction();
  if (files.length === 0) return null;
  const save = async (id: string): Promise<void> => {
    // Addresses hold for some minutes, so one is asked for when it is needed; its answer is a file to be saved.
    const { downloadUrl } = await api.call<V2OutputFileAddress>(
      'GET',
      `api/v2/files/tasks/${taskId}/output-files/${id}`,
    );
    location.assign(new URL(ownPath(downloadUrl, 2), document.baseURI));
  };
  return (
    <>
      <h3>Files</h3>
      <FaultNotice fault={fault} />
      <ul class="files">
        {files.map(({ id, fileName }) => (
          <li key={id}>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Save ${fileName}`}
              onClick={() => void run(() => save(id))}
            >
              {fileName}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
