/*
 * Downloads of one browser: whoever lets an agent work in it takes the files that its pages download. Called by the browser of a
 * host. Must not know what a workspace is, nor keep a file: what is taken leaves the browser's folder.
 */
export { createDownloads, type Downloads } from './create-downloads.ts';
export { type DownloadTaker, type DownloadWatch, type DownloadedFile } from './downloaded-file.ts';
