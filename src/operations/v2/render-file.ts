import type { components } from '#generated/v2.ts';
import type { StoredFile } from '#store/files.ts';

/** The V2 record of a file that a task made (companion 5.3): its name without the folder. */
export function renderFile({ id, path }: StoredFile): components['schemas']['OutputFile'] {
  return { id, fileName: path.slice(path.lastIndexOf('/') + 1) };
}
