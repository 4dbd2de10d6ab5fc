/*
 * Downloads of one browser: watched and bounded from its first page on, and handed to whoever lets an agent work in it or keeps
 * them for a client. Called by the browser of a host. Must not know what a workspace is.
 */
export { claimDownloads } from './claim-downloads.ts';
export type { DownloadClaim, DownloadTaker, DownloadedFile } from './downloaded-file.ts';
export { type DownloadRules, type FinishedDownload, noDownloads } from './download-rules.ts';
export { followGuest } from './guest-downloads.ts';
export { type DownloadWatch, watchDownloads } from './watch-downloads.ts';
