import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { UploadList } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ownPath } from '../format/own-path.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Field } from '../parts/fields.tsx';
import { formValues } from '../parts/form-values.ts';
import { sendFile } from './send-file.ts';

/** Sends files to a workspace, in the place of files of the same names. */
export function UploadForm(props: { readonly path: string; readonly onStored: () => Promise<void> }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const upload = async (files: readonly File[]): Promise<void> => {
    const wanted = files.map(({ name, type, size }) => ({ name, contentType: typeOf(type), size }));
    const { files: places } = await api.call<UploadList>('POST', `${props.path}/files/upload`, {
      files: wanted,
      allowOverrides: true,
    });
    for (const [index, { uploadUrl }] of places.entries()) {
      const file = files[index];
      if (file !== undefined) await sendFile(ownPath(uploadUrl, 2), file, typeOf(file.type));
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

function typeOf(type: string): string {
  return type === '' ? 'application/octet-stream' : type;
}
