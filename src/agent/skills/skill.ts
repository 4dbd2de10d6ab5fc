import { isJsonObject } from '#lib/json.ts';

/** Name and description of a skill. The agent receives them at the start of each task. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
}

/** An instruction package. Its texts are trusted like the task, because the operator or the project wrote them. */
export interface Skill extends SkillSummary {
  /** Paths of the skill's files, relative to the folder of the skill. */
  readonly paths: readonly string[];
  /**
   * Reads one of `paths` as UTF-8 text. The caller checks that `paths` contains the path. Rejects with a SkillError for
   * a file that is too large or no text.
   */
  read(path: string): Promise<string>;
}

/** The skills of a task. */
export interface TaskSkills {
  /**
   * Reads a file of a skill; without a path the instructions, followed by the list of files. Rejects with a SkillError
   * for an unknown skill or file, and beyond the limits of size.
   */
  read(name: string, path?: string): Promise<string>;
}

/**
 * Thrown when a skill or one of its files is missing, invalid or too large. The message is suitable for the model and
 * the operator.
 */
export class SkillError extends Error {
  override readonly name = 'SkillError';
}

/** File of a skill with its description and instructions. */
export const skillFile = 'SKILL.md';

const namePattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
const descriptionMax = 1_024;
const headMax = 4_096;
/**
 * Marks of YAML that begin a value: brackets, and `-`, `?` or `:` before white space. The parser takes quadratic time in
 * the number of values, and of members that do not end.
 */
const markPattern = /[[{]|[-?:](?=\s|$)/g;
const marksMax = 200;

/** Returns whether a folder name can be the name of a skill. */
export function isSkillName(name: string): boolean {
  return namePattern.test(name);
}

/**
 * Returns the description in the YAML head of a skill's file, with white space collapsed. Rejects with a SkillError for
 * a text without a valid description.
 */
export async function readDescription(text: string): Promise<string> {
  const expected = `expected ${skillFile} to begin with --- and a line "description: ...", 1 to ${descriptionMax} characters long`;
  const [, head] = /^---\r?\n([\s\S]{0,4096}?)\r?\n---(?:\r?\n|$)/.exec(text.slice(0, headMax + 16)) ?? [];
  if (head === undefined) throw new SkillError(`found no head, ${expected}`);
  const marks = head.match(markPattern)?.length ?? 0;
  if (marks > marksMax)
    throw new SkillError(`found a head with ${marks} marks of YAML such as [, expected at most ${marksMax}`);
  const description = (await readHead(head, expected))['description'];
  if (typeof description !== 'string' || description.trim() === '' || description.length > descriptionMax)
    throw new SkillError(`found no such description, ${expected}`);
  return description.replaceAll(/\s+/g, ' ').trim();
}

async function readHead(head: string, expected: string): Promise<Readonly<Record<string, unknown>>> {
  // The YAML parser is loaded with the first skill, so that a service without skills starts without the parser.
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(head, { maxAliasCount: 0, logLevel: 'error' });
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new SkillError(`found a head that is no YAML, ${expected}`, { cause: error });
  }
  throw new SkillError(`found a head without members, ${expected}`);
}

/** Limits of the skills of a task. */
export interface SkillBounds {
  /** Maximum number of bytes of one file. */
  readonly fileBytes: number;
  /** Maximum number of bytes of all files that the agent of one task reads. */
  readonly taskBytes: number;
}

/** Creates an agent's access to skills, limited in size. Of skills with equal names, the first is used. */
export function createTaskSkills(skills: readonly Skill[], { fileBytes, taskBytes }: SkillBounds): TaskSkills {
  let left = taskBytes;
  return {
    async read(name, path = skillFile) {
      const skill = skills.find((one) => one.name === name);
      const known = skills.map((one) => one.name).join(', ');
      if (skill === undefined) throw new SkillError(`There is no skill "${name}". Skills: ${known}.`);
      if (!skill.paths.includes(path))
        throw new SkillError(`The skill "${name}" has no file "${path}". Files: ${skill.paths.join(', ')}.`);
      const text = await skill.read(path);
      const size = Buffer.byteLength(text);
      if (size > fileBytes) throw new SkillError(`The file has ${size} bytes, which is more than ${fileBytes}.`);
      if (size > left) throw new SkillError(`This task has read ${taskBytes - left} bytes of skills: no more fits.`);
      left -= size;
      return path === skillFile ? `${text}\n\nFiles of this skill: ${skill.paths.join(', ')}` : text;
    },
  };
}
