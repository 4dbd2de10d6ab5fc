/** One member of a tar archive. */
export interface TarEntry {
  /** Relative path with `/` and without `..`, as checked by {@link readTar}. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly content: Buffer;
}

const BLOCK = 512;

/**
 * Reads the plain files and folders of a ustar or GNU archive; that is all that the bundled archives hold.
 * Throws an Error for any other kind of member (links, long names) and for a path that would leave the target folder.
 */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let offset = 0; offset + BLOCK <= archive.length; ) {
    const header = archive.subarray(offset, offset + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const path = text(header.subarray(0, 100));
    const size = Number.parseInt(text(header.subarray(124, 136)), 8);
    const kind = kindOf(text(header.subarray(156, 157)), path);
    if (path.startsWith('/') || path.split('/').includes('..'))
      throw new Error(`The archive member ${path} leaves its folder.`);
    const start = offset + BLOCK;
    if (!(size >= 0 && start + size <= archive.length)) throw new Error(`The archive is cut off at ${path}.`);
    entries.push({ path, kind, content: archive.subarray(start, start + size) });
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

function kindOf(flag: string, path: string): TarEntry['kind'] {
  if (flag === '0' || flag === '') return 'file';
  if (flag === '5') return 'folder';
  throw new Error(`The archive member ${path} is neither a file nor a folder (type ${flag}).`);
}

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? field.length : end).trim();
}
