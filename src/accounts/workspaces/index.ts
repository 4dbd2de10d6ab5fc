/**
 * Workspaces: places for files that outlive the sessions that use them. The operations of V3 and V4 call this module for the
 * records, and the signed addresses of `public/` for the bytes. It decides names, sizes and races; it knows no wire shape, no
 * address and no key. Bytes live in the blob store under keys of our own, never under a name that a caller chose.
 */
export { createWorkspaces } from './create-workspaces.ts';
export type { Workspaces } from './create-workspaces.ts';
export { archiveWithin, discardBlobs, type FilePage } from './files.ts';
export type { ReservedUpload, WantedUpload, WantedUploads } from './uploads.ts';
export type { NewFile } from './store-file.ts';
export { contentTypeOf, cursorOf, numberedName, pathOf, storedFolder, storedName, storedPath } from './file-names.ts';
