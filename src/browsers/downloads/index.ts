/*
 * Downloads of one browser: observed and limited from its first page on, and passed to an agent or a client. Called by
 * the local browser. It must not know workspaces.
 */
export { claimDownloads } from './claim-downloads.ts';
export {
  type DownloadClaim,
  type DownloadedFile,
  type DownloadRules,
  type DownloadTaker,
  type FinishedDownload,
  noDownloads,
} from './downloads.ts';
export { type DownloadWatch, followGuest, watchDownloads } from './watch-downloads.ts';
