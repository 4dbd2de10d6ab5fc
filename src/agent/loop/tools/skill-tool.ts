import { requiredText, textIn, type Tool, toolParameters } from '../tool.ts';

/** Tool that reads skills; offered only to tasks that have some. */
export const SKILL_TOOL: Tool = {
  name: 'read_skill',
  description: 'Reads the instructions of a skill, or one of its files. Read a skill before you do what it describes.',
  parameters: toolParameters(
    {
      name: { type: 'string', description: 'Name of the skill' },
      path: { type: 'string', description: 'A file of the skill; leave it out for its instructions' },
    },
    ['path'],
  ),
  isStep: true,
  summary: (input) => `Read the skill ${requiredText(input, 'name')}`,
  async run(input, { world }) {
    const skills = world.services?.skills ?? null;
    if (skills === null) return { text: 'This task has no skills.' };
    return { text: await skills.read(requiredText(input, 'name'), textIn(input, 'path')) };
  },
};
