import { type FileHandle, open } from 'node:fs/promises';
import { isMissing } from '#browsers/launch/is-missing.ts';
import { closeCluster } from './close-cluster.ts';
import { readClusters } from './read-clusters.ts';
import { HEAD_LENGTH, type VideoSize, sizeInHead, webmCues, webmHead } from './webm-head.ts';

/** A complete video. */
export interface FinishedVideo extends VideoSize {
  readonly durationMs: number;
  readonly bytes: number;
}

/** How long the last picture stands when nothing says it. */
const LAST_PICTURE_MS = 100;

/**
 * Makes what was written of a video a complete one, however its writing ended: with its duration, an index, and nothing that
 * was cut off. Null when there is no file or no whole picture in it. To be done again is without effect.
 */
export async function finishWebm(path: string): Promise<FinishedVideo | null> {
  let file: FileHandle;
  try {
    file = await open(path, 'r+');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    return await finish(file);
  } finally {
    await file.close();
  }
}

async function finish(file: FileHandle): Promise<FinishedVideo | null> {
  const head = Buffer.alloc(HEAD_LENGTH);
  const { bytesRead } = await file.read(head, 0, HEAD_LENGTH, 0);
  const size = sizeInHead(head.subarray(0, bytesRead));
  if (size === null) return null;
  const { places, end, lastMs } = await readClusters(file);
  const last = places.at(-1);
  if (last === undefined || lastMs === null) return null;
  await closeCluster(file, last, end);
  await file.truncate(end);
  const cues = webmCues(places);
  await file.write(cues, 0, cues.length, end);
  const done = { durationMs: lastMs + LAST_PICTURE_MS, cuesAt: end, bytes: end + cues.length };
  await file.write(webmHead(size, done), 0, HEAD_LENGTH, 0);
  await file.sync();
  return { ...size, durationMs: done.durationMs, bytes: done.bytes };
}
