import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isSkillName, readDescription, type Skill, skillFile, SkillError } from './skill.ts';

/** Limits of a folder of skills. */
export interface FolderBounds {
  readonly skills: number;
  /** Maximum number of files of one skill. */
  readonly files: number;
  /** Maximum size of one file in bytes. */
  readonly fileBytes: number;
}

/**
 * Reads the skills in a folder: each subfolder is a skill and needs a SKILL.md. Other files of a skill are read when an
 * agent requests them. Rejects with a SkillError for too many skills or for an invalid skill, whose folder or file the
 * message names.
 */
export async function readSkillsFolder(folder: string, bounds: FolderBounds): Promise<Skill[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  if (names.length > bounds.skills)
    throw new SkillError(`found ${names.length} skills in ${folder}, expected at most ${bounds.skills}`);
  return Promise.all(names.toSorted().map((name) => readSkill(join(folder, name), name, bounds)));
}

async function readSkill(folder: string, name: string, { files, fileBytes }: FolderBounds): Promise<Skill> {
  if (!isSkillName(name))
    throw new SkillError(
      `found the skill ${folder}, expected a name of at most 64 lower case letters, digits and hyphens`,
    );
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  // Symbolic links are left out: they could lead to any file of the machine.
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  if (paths.length > files) throw new SkillError(`found ${paths.length} files in ${folder}, expected at most ${files}`);
  if (!paths.includes(skillFile))
    throw new SkillError(`found no ${skillFile} in ${folder}: write one with a description`);
  const read = async (path: string): Promise<string> => {
    const { size } = await stat(join(folder, path));
    if (size > fileBytes) throw new SkillError(`The file ${path} has ${size} bytes, which is more than ${fileBytes}.`);
    return decode(await readFile(join(folder, path)), path);
  };
  try {
    return { name, description: await readDescription(await read(skillFile)), paths: paths.toSorted(), read };
  } catch (error) {
    if (error instanceof SkillError)
      throw new SkillError(`${join(folder, skillFile)}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Decodes the bytes of a file of a skill. Throws a SkillError for bytes that are no UTF-8 text. */
export function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SkillError(`The file ${path} is no text.`, { cause: error });
  }
}
