import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HEAD_LENGTH } from '#sessions/recordings/webm-writer.ts';

/**
 * Returns the bytes of pictures in each growing video of a data folder. 0 for a video that has only its head: a video
 * that ends there shows nothing and is not kept.
 */
export function bytesOfPictures(dataFolder: string): number[] {
  const videos = join(dataFolder, 'recordings');
  const names = existsSync(videos) ? readdirSync(videos) : [];
  return names.map((name) => Math.max(statSync(join(videos, name)).size - HEAD_LENGTH, 0));
}
