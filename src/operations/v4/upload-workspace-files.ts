import { isProblem, problem } from '#contract/problems.ts';
import { shortJson } from '#lib/short-json.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findWorkspaceOr404 } from '../common/find-workspace.ts';
import {
  type NamedReservation,
  type NamedUpload,
  type UploadCommand,
  applyUploads,
  defaultContentType,
} from '../common/uploads.ts';
import { storedName } from '#accounts/workspaces/index.ts';
import { bodyOf } from './body-of.ts';

/** The folder of all uploads (companion 7.9, path). */
const folder = 'uploads/';

/** POST /workspaces/{workspace_id}/files/upload (companion 7.1 and 7.9): taken names are refused before anything is reserved. */
export const uploadWorkspaceFiles: Operation<Caller, UploadCommand, readonly NamedReservation[]> = {
  async decide(request, caller) {
    const workspace = await findWorkspaceOr404(request, caller);
    if (isProblem(workspace)) return workspace;
    const body = bodyOf(request, 'UploadFiles');
    const files: NamedUpload[] = [];
    for (const { name, contentType, size } of body.files) {
      const stored = storedName(name);
      if (stored === null) return problem('path_malformed', { found: shortJson(name) });
      files.push({ name, path: `${folder}${stored}`, contentType: contentType ?? defaultContentType, size });
    }
    return { workspaceId: workspace.id, files, allowOverrides: body.allowOverrides ?? true };
  },
  apply: applyUploads,
  render: (uploads, { addresses }) => ({
    status: 200,
    body: {
      files: uploads.map(({ id, name, path, willOverride }) => ({
        id,
        name,
        storedName: path.slice(folder.length),
        path,
        willOverride,
        uploadUrl: addresses.upload(id),
      })),
    },
  }),
};
