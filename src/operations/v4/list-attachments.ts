import type { components } from '#generated/v4.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { AttachmentRow } from '#store/attachments.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findRunOr404 } from './find-run.ts';

/** GET /runs/{run_id}/attachments (companion 7.1 and 7.5): the uploads that belong to the run, in the order of its request. */
export const listAttachments: Operation<Caller, RunOfSession, AttachmentRow[]> = {
  decide: findRunOr404,
  apply: ({ run }, { engine }) => engine.attachmentsOf(run.id),
  render: (attachments) => ({ status: 200, body: { attachments: attachments.map(renderAttachment) } }),
};

function renderAttachment(row: AttachmentRow): components['schemas']['Attachment'] {
  return {
    id: row.file_id,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size,
    status: row.uploaded === 1 ? 'uploaded' : 'pending',
  };
}
