/*
 * Downloads of one browser: watched and bounded from its first page on, and handed to whoever lets an agent work in it or keeps
 * them for a client. Called by the browser of a host. Must not know what a workspace is.
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
