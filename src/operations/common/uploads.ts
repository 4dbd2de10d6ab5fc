import { isProblem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from './caller.ts';
import type { ReservedUpload, WantedUpload, WantedUploads } from '#accounts/workspaces/index.ts';

/** What `contentType` means when a request leaves it out (companion 6.5 and 7.9). */
export const defaultContentType = 'application/octet-stream';

/** A file of an upload request: what the caller called it, and what it comes to. */
export interface NamedUpload extends WantedUpload {
  readonly name: string;
}

/** An upload request whose workspace has been found. */
export interface UploadCommand extends WantedUploads {
  readonly workspaceId: string;
  readonly files: readonly NamedUpload[];
}

/** An open upload with the name that the caller gave. */
export interface NamedReservation extends ReservedUpload {
  readonly name: string;
}

/** Opens all uploads of a request; the answer has its order. */
export const applyUploads: Operation<Caller, UploadCommand, readonly NamedReservation[]>['apply'] = async (
  { workspaceId, files, allowOverrides },
  { workspaces },
) => {
  const reserved = await workspaces.reserve(workspaceId, { files, allowOverrides });
  if (isProblem(reserved)) return reserved;
  return reserved.map((upload, index) => ({ ...upload, name: files[index]?.name ?? '' }));
};
