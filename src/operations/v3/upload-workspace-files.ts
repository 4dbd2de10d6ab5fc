import type { components } from '#generated/v3.ts';
import { type Problem, isProblem, problem } from '#contract/problems.ts';
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
import { storedFolder, storedName } from '#accounts/workspaces/index.ts';
import { bodyOf } from './body-of.ts';

/** POST /workspaces/{workspace_id}/files/upload (companion 6.1 and 6.5): a file of the same path is replaced. */
export const uploadWorkspaceFiles: Operation<Caller, UploadCommand, readonly NamedReservation[]> = {
  async decide(request, caller) {
    const prefix = String(request.query['prefix']);
    const folder = storedFolder(prefix);
    if (folder === null) return problem('path_invalid', { found: shortJson(prefix) }, ['query', 'prefix']);
    const files: NamedUpload[] = [];
    for (const [index, file] of bodyOf(request, 'UploadFiles').files.entries()) {
      const wanted = wantedFile(file, index, folder);
      if (isProblem(wanted)) return wanted;
      files.push(wanted);
    }
    const workspace = await findWorkspaceOr404(request, caller);
    return isProblem(workspace) ? workspace : { workspaceId: workspace.id, files, allowOverrides: true };
  },
  apply: applyUploads,
  render: (uploads, { addresses }) => ({
    status: 200,
    body: { files: uploads.map(({ id, name, path }) => ({ name, uploadUrl: addresses.upload(id), path })) },
  }),
};

function wantedFile(
  { name, contentType, size }: components['schemas']['UploadFile'],
  index: number,
  folder: string,
): NamedUpload | Problem {
  const stored = storedName(name);
  if (stored === null) return problem('path_invalid', { found: shortJson(name) }, ['body', 'files', index, 'name']);
  return { name, path: `${folder}${stored}`, contentType: contentType ?? defaultContentType, size };
}
