import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from './launch/is-missing.ts';

/**
 * The languages in which a Chromium writes numbers and dates (`en-US`, `de`, `pt-BR`), read from the packs beside its binary; null
 * when it keeps none there, as the headless shell, which knows every language and may make an empty folder for them. What
 * a page is told of its languages, and what a request says of them, needs no pack.
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
