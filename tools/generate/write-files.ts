import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Generated files of one folder: path below the folder -> text. */
export interface MadeFolder {
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
}

/** Writes the files; with `check` writes nothing and prints differences. Returns the exit code. */
export function writeFiles({ folder, files }: MadeFolder, check: boolean): number {
  if (check) return reportDrift({ folder, files });
  for (const [name, text] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  console.log(`${folder}: ${files.size} files`);
  return 0;
}

function reportDrift({ folder, files }: MadeFolder): number {
  const stale = [...files].filter(([name, text]) => read(join(folder, name)) !== text).map(([name]) => name);
  const strange = existing(folder).filter((name) => !files.has(name));
  for (const name of stale) console.error(`${folder}/${name} differs from its sources: run npm run generate`);
  for (const name of strange) console.error(`${folder}/${name} is made by nothing: delete it`);
  return stale.length + strange.length === 0 ? 0 : 1;
}

function existing(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
