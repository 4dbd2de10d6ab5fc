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

/** Options for unpacking the bundled Chromium. */
export interface UnpackOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder for the unpacked Chromium. @defaultValue the folder given by {@link cacheFolder} */
  readonly cache?: string;
}

/**
 * Archives of `@sparticuz/chromium` to unpack beside the binary. The package itself unpacks `al2023` only on AWS Lambda
 * and similar platforms. Chromium needs the libraries of `al2023` wherever libnss3 and libnspr4 are not installed.
 */
const archiveNames = ['swiftshader.tar.br', 'fonts.tar.br', 'al2023.tar.br'] as const;

const decompress = promisify(brotliDecompress);

/**
 * Unpacks the Chromium of `@sparticuz/chromium` once per version into a folder that only the service can write. It
 * unpacks under a temporary name and renames, so that concurrent or interrupted calls leave no incomplete folder. The
 * first call takes about 2 s. Rejects when the package or the folder is not accessible.
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
    const archives = archiveNames.map((name) => unpackArchive(join(source, name), temporary));
    await Promise.all([unpackBinary(source, temporary), ...archives]);
    await writeFile(join(temporary, 'svc-fonts.conf'), fontConfiguration(join(folder, 'fonts')));
    await makeReadable(temporary);
    await chmod(cache, 0o755);
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process was faster. Its folder is complete, because it was renamed into place.
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

/** Lets the user of the browser read and execute all files, whatever the umask of the service. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const path of await readdir(folder, { recursive: true })) await chmod(join(folder, path), 0o755);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // Missing or inaccessible: unpacking follows and reports a real obstacle.
    return false;
  }
}

/**
 * Returns a fontconfig file with the fonts of the system and, as a fallback, the bundled fonts. The font configuration
 * of the package is not used, because it names folders below /tmp, where any user could place a font.
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

const block = 512;

/**
 * Reads files and folders of a ustar or GNU archive, the only members of the bundled archives. Throws an Error for
 * other members (links, long names), for a path that leaves the target folder, and for a truncated archive.
 */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let offset = 0; offset + block <= archive.length; ) {
    const header = archive.subarray(offset, offset + block);
    if (header.every((byte) => byte === 0)) break;
    const path = text(header.subarray(0, 100));
    const size = Number.parseInt(text(header.subarray(124, 136)), 8);
    const kind = getKind(text(header.subarray(156, 157)), path);
    if (path.startsWith('/') || path.split('/').includes('..'))
      throw new Error(`The archive member ${path} leaves its folder.`);
    const start = offset + block;
    if (!(size >= 0 && start + size <= archive.length)) throw new Error(`The archive is cut off at ${path}.`);
    entries.push({ path, kind, content: archive.subarray(start, start + size) });
    offset = start + Math.ceil(size / block) * block;
  }
  return entries;
}

function getKind(flag: string, path: string): TarEntry['kind'] {
  if (flag === '0' || flag === '') return 'file';
  if (flag === '5') return 'folder';
  throw new Error(`The archive member ${path} is neither a file nor a folder (type ${flag}).`);
}

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? field.length : end).trim();
}

/** An executable Chromium. */
export interface ChromiumBinary {
  /** Absolute path of the executable itself, not of a wrapper script. */
  readonly path: string;
  /** Additional environment variables with which this binary must be started, for example LD_LIBRARY_PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Source of the binary, for the log. */
  readonly source: 'CHROMIUM_PATH' | 'installed' | 'bundled';
}
