import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['blobs', 'recordings', 'browsers', 'profiles'] as const;

/** Files that a service keeps besides its tables and secrets. */
export function countFiles(dataFolder: string): number {
  return folders.reduce((sum, name) => sum + filesIn(join(dataFolder, name)), 0);
}

function filesIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
}
