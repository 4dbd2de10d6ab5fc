import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { loadOptional } from '#contract/load-optional.ts';
import { isJsonObject } from '#lib/json.ts';
import { cacheFolder } from './cache-folder.mjs';

/** Where to unpack; the defaults are what the service uses. */
export interface UnpackOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @defaultValue the folder given by {@link cacheFolder} */
  readonly cache?: string;
}

/**
 * The archives beside the binary. The package itself unpacks `al2023` only on its own platform, but without these
 * libraries Chromium fails wherever libnss3 and libnspr4 are not installed.
 */
const ARCHIVES = ['swiftshader.tar.br', 'fonts.tar.br', 'al2023.tar.br'] as const;

const decompress = promisify(brotliDecompress);

/**
 * Makes the Chromium inside `@sparticuz/chromium` startable: unpacks it once per version into a folder that only we
 * write, under a temporary name that is then renamed, so that two processes may do it at once and an interrupted one
 * leaves nothing half-done behind. Takes about 2 s the first time, nothing afterwards. Rejects when the package or
 * the folder cannot be read or written.
 */
export async function unpackBundledChromium(options: UnpackOptions): Promise<ChromiumBinary> {
  const root = await loadOptional('browsers', async () => packageRoot());
  const cache = options.cache ?? cacheFolder(options.environment);
  const folder = join(cache, `chromium-${await packageVersion(root)}`);
  if (!(await exists(folder))) await unpackInto(join(root, 'bin'), cache, folder);
  return {
    path: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'svc-fonts.conf') },
    source: 'bundled',
  };
}

function packageRoot(): string {
  return dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));
}

async function packageVersion(root: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const version = isJsonObject(manifest) ? manifest['version'] : undefined;
  if (typeof version !== 'string') throw new Error(`${root}/package.json has no version.`);
  return version;
}

async function unpackInto(source: string, cache: string, folder: string): Promise<void> {
  const temporary = join(cache, `.unpacking-${randomUUID()}`);
  await mkdir(temporary, { recursive: true });
  try {
    const archives = ARCHIVES.map((name) => unpackArchive(join(source, name), temporary));
    await Promise.all([unpackBinary(source, temporary), ...archives]);
    await writeFile(join(temporary, 'svc-fonts.conf'), fontConfiguration(join(folder, 'fonts')));
    await makeReadable(temporary);
    await chmod(cache, 0o755);
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process was faster: its folder is complete, because it was renamed into place as ours would have been.
    if (!(await exists(folder))) throw error;
  }
}

async function unpackBinary(source: string, target: string): Promise<void> {
  const file = createWriteStream(join(target, 'chromium'));
  await pipeline(createReadStream(join(source, 'chromium.br')), createBrotliDecompress({ chunkSize: 2 ** 21 }), file);
}

async function unpackArchive(archive: string, target: string): Promise<void> {
  for (const { path, kind, content } of readTar(await decompress(await readFile(archive)))) {
    const place = join(target, path);
    await mkdir(kind === 'folder' ? place : dirname(place), { recursive: true });
    if (kind === 'file') await writeFile(place, content);
  }
}

/** The browser's user must be able to enter and to start everything, whatever umask we were started with. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const path of await readdir(folder, { recursive: true })) await chmod(join(folder, path), 0o755);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // Not there, or not visible to us: either way it must be unpacked, and a real obstacle shows up there.
    return false;
  }
}

/**
 * A fontconfig file that offers the system's fonts and, for machines without any, the bundled ones. The file inside the
 * package is not used, because it names folders under /tmp, where anyone could place a font for us.
 */
function fontConfiguration(fontFolder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${fontFolder}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}

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

/** A Chromium that can be started. */
export interface ChromiumBinary {
  /** Absolute path of the real binary, never of a wrapper script. */
  readonly path: string;
  /** What the child needs in its environment beyond the usual, for example LD_LIBRARY_PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it was found; for the log. */
  readonly source: 'CHROMIUM_PATH' | 'installed' | 'bundled';
}
