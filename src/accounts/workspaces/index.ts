/**
 * Workspaces: places for files that outlive the sessions that use them. The operations of V3 and V4 call this module for the
 * records, and the signed addresses of `public/` for the bytes. It decides names, sizes and races; it knows no wire shape, no
 * address and no key. Bytes live in the blob store under keys of our own, never under a name that a caller chose.
 */
export { createWorkspaces } from './create-workspaces.ts';
export type { Workspaces } from './create-workspaces.ts';
export type { FilePage } from './list-files.ts';
export type { ReservedUpload, WantedUpload, WantedUploads } from './reserve-uploads.ts';
export type { NewFile } from './store-file.ts';
export { archiveWithin } from './remove-files.ts';
export { discardBlobs } from './discard-blobs.ts';
export { cursorOf, pathOf } from './file-cursor.ts';
export { contentTypeOf } from './content-type-of.ts';
export { numberedName } from './numbered-name.ts';
export { storedFolder, storedName, storedPath } from './stored-name.ts';
