import { access, constants, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from '#lib/system-errors.ts';
import { type ChromiumBinary, unpackBundledChromium } from './bundled-chromium.ts';

/**
 * Paths of the Chromium binaries of common system packages, in order of preference. `/usr/bin/chromium` is not in the
 * list, because this script adds API keys and switches from /etc/chromium.d.
 */
const installedPaths = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
  '/opt/chromium.org/chromium/chromium',
  '/usr/lib64/chromium-browser/chromium-browser',
] as const;

/** Sources of a Chromium; tests override the defaults. */
export interface FindChromiumOptions {
  /** @defaultValue `process.env` */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @defaultValue {@link installedPaths} */
  readonly installedPaths?: readonly string[];
  /** Unpacks the Chromium of the npm package. @defaultValue unpacks into the cache folder */
  readonly bundled?: () => Promise<ChromiumBinary>;
}

/** Value of CHROMIUM_PATH that selects the Chromium of the npm package, even if the system has another. */
const bundledValue = 'bundled';

/**
 * Finds a Chromium: the file that CHROMIUM_PATH names, else an installed Chromium, else the bundled Chromium of
 * `@sparticuz/chromium`. CHROMIUM_PATH=bundled selects the bundled Chromium. Rejects when CHROMIUM_PATH names no
 * executable file, or when the bundled Chromium is needed but cannot be unpacked.
 */
export async function findChromium(options: FindChromiumOptions = {}): Promise<ChromiumBinary> {
  const environment = options.environment ?? process.env;
  const bundled = options.bundled ?? (() => unpackBundledChromium({ environment }));
  const wanted = environment['CHROMIUM_PATH'];
  if (wanted === bundledValue) return bundled();
  if (wanted !== undefined && wanted !== '') {
    if (await isExecutable(wanted)) return { path: wanted, environment: {}, source: 'CHROMIUM_PATH' };
    throw new Error(
      `CHROMIUM_PATH is ${wanted}, which is not an executable file. Correct it, unset it, or set it to "${bundledValue}".`,
    );
  }
  for (const path of options.installedPaths ?? installedPaths) {
    if (await isExecutable(path)) return { path, environment: {}, source: 'installed' };
  }
  return bundled();
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Any failure means that this path is not executable; the next path is tried.
    return false;
  }
}

/**
 * Returns the languages in which a Chromium can format numbers and dates (`en-US`, `de`, `pt-BR`), from the locale
 * packs beside its binary. Returns null when it has no packs; a headless shell has none and supports every language.
 * Accept-Language and navigator.languages need no pack.
 */
export async function languagePacks(binaryPath: string): Promise<readonly string[] | null> {
  try {
    const names = await readdir(join(dirname(binaryPath), 'locales'));
    const packs = names.filter((name) => name.endsWith('.pak') && !name.includes('_'));
    if (packs.length === 0) return null;
    return packs.map((name) => name.slice(0, -'.pak'.length)).toSorted();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
