import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { headLength } from '#sessions/recordings/webm-writer.ts';

/**
 * Returns the number of bytes after the file header for each video file in the recordings folder of a data folder. It
 * is 0 for a video without pictures, which the service does not keep.
 */
export function bytesOfPictures(dataFolder: string): number[] {
  const videos = join(dataFolder, 'recordings');
  const names = existsSync(videos) ? readdirSync(videos) : [];
  return names.map((name) => Math.max(statSync(join(videos, name)).size - headLength, 0));
}
