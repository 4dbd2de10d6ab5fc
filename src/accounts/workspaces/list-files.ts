import { type StoredFile, behindAll, fileBehind } from '#store/queries/files.ts';
import type { WorkspaceParts } from './parts.ts';

/** Which part of a workspace is wanted. */
export interface FilesWanted {
  readonly prefix: string;
  /** Whether files in sub-folders are left out and the sub-folders are named instead. */
  readonly shallow: boolean;
  /** The last path of the page before, or null for the first page. */
  readonly behind: string | null;
  /** Files and folders together. */
  readonly limit: number;
}

/** One page; `lastPath` is the path that the next one stands behind, or null when there is none. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  /** Whole paths, each with a slash at its end. */
  readonly folders: readonly string[];
  readonly lastPath: string | null;
}

/** A page of files in the order of their paths. Each step seeks its entry, so a folder costs the same whatever it holds. */
export async function listFiles(
  { db }: Pick<WorkspaceParts, 'db'>,
  workspaceId: string,
  { prefix, shallow, behind, limit }: FilesWanted,
): Promise<FilePage> {
  const files: StoredFile[] = [];
  const folders: string[] = [];
  let last = behind ?? '';
  for (;;) {
    const file = await fileBehind(db, workspaceId, {
      prefix,
      behind: last.endsWith('/') ? `${last}${behindAll}` : last,
    });
    if (file === null) return { files, folders, lastPath: null };
    if (files.length + folders.length === limit) return { files, folders, lastPath: last };
    const folder = shallow ? folderOf(file.path, prefix) : null;
    if (folder === null) files.push(file);
    else folders.push(folder);
    last = folder ?? file.path;
  }
}

/** The sub-folder of a prefix that a path stands in, or null when it stands in none. */
function folderOf(path: string, prefix: string): string | null {
  const slash = path.indexOf('/', prefix.length);
  return slash === -1 ? null : path.slice(0, slash + 1);
}
