import { buffer } from 'node:stream/consumers';
import { decode } from '#agent/skills/read-skills-folder.ts';
import { isSkillName, readDescription, type Skill, skillFile, SkillError } from '#agent/skills/skill.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { StoredFile } from '#store/queries/files.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from './engine-deps.ts';

/** Folder of a workspace in which each folder is a skill. */
const prefix = 'skills/';

/**
 * Returns the skills for a session, at most the limit `skills` of spec/rules/limits.yaml: those of the operator, then
 * the first skills of the session's workspace, in the order of their names. A skill of the operator takes precedence
 * over a skill of the workspace with the same name. Files that an agent wrote or a browser downloaded are left out,
 * because a page may have caused them.
 */
export async function listSkills(engine: EngineState, { workspaceId }: SessionRow): Promise<Skill[]> {
  const own = workspaceId === null ? [] : await workspaceSkills(engine, workspaceId);
  return [...engine.skills, ...own];
}

async function workspaceSkills(engine: EngineState, workspaceId: string): Promise<Skill[]> {
  const taken = new Set(engine.skills.map(({ name }) => name));
  const limit = getLimit(engine.rules, 'skills') * getLimit(engine.rules, 'skillFiles');
  const page = await engine.workspaces.files(workspaceId, { prefix, shallow: false, behind: null, limit });
  const byName = new Map<string, Map<string, StoredFile>>();
  for (const file of page.files) {
    const [, name = '', path = ''] = /^skills\/([^/]+)\/(.+)$/.exec(file.path) ?? [];
    if (file.runId !== null || !isSkillName(name) || taken.has(name)) continue;
    const files = byName.get(name) ?? new Map<string, StoredFile>();
    byName.set(name, files.set(path, file));
  }
  const skills: Skill[] = [];
  // One after the other, because each head takes milliseconds to parse. An unusable skill counts, too.
  for (const [name, files] of [...byName].slice(0, getLimit(engine.rules, 'skills') - taken.size)) {
    const skill = await workspaceSkill(engine, name, files);
    if (skill !== null) skills.push(skill);
  }
  return skills;
}

/** Returns a skill of a workspace; null, with a warning in the log, for a skill without a usable description. */
async function workspaceSkill(
  engine: EngineState,
  name: string,
  files: ReadonlyMap<string, StoredFile>,
): Promise<Skill | null> {
  const paths = [...files.keys()].slice(0, getLimit(engine.rules, 'skillFiles'));
  const read = async (path: string): Promise<string> => {
    const file = files.get(path);
    const opened =
      file === undefined || file.size > getLimit(engine.rules, 'skillFileBytes')
        ? null
        : await engine.workspaces.open(file.id);
    if (opened === null) throw new SkillError(`The file ${path} was removed or is too large.`);
    return decode(await buffer(opened.bytes), path);
  };
  try {
    return { name, description: await readDescription(await read(skillFile)), paths, read };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    engine.log.warn({ skill: name, err: error }, 'a skill of a workspace cannot be used');
    return null;
  }
}
