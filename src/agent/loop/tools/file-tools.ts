import type { JsonObject } from '#lib/json.ts';
import type { AgentFile } from '../../files.ts';
import { requiredText } from '../input.ts';
import { parameters } from '../parameters.ts';
import type { Tool } from '../tool.ts';

const PATH: JsonObject = { type: 'string', description: 'Path in the workspace, such as reports/2026.txt' };

/** What can be done with the files of the workspace. */
export const FILE_TOOLS: readonly Tool[] = [
  {
    name: 'list_files',
    description: 'Lists the files of the workspace: attachments, downloads, and what was written.',
    parameters: parameters({}),
    isStep: true,
    summary: () => 'Listed the files',
    async run(_input, { world }) {
      const files = await world.files.list();
      return files.length === 0
        ? { text: 'There are no files.' }
        : { text: 'Files:', data: files.map(line).join('\n') };
    },
  },
  {
    name: 'read_file',
    description: 'Reads a text file of the workspace.',
    parameters: parameters({ path: PATH }),
    isStep: true,
    summary: (input) => `Read the file ${requiredText(input, 'path')}`,
    async run(input, { world }) {
      return { text: 'It says:', data: (await world.files.readText(requiredText(input, 'path'))).text };
    },
  },
  {
    name: 'write_file',
    description: 'Writes a text file into the workspace; a file of that path is replaced.',
    parameters: parameters({ path: PATH, text: { type: 'string' } }),
    isStep: true,
    summary: (input) => `Wrote the file ${requiredText(input, 'path')}`,
    async run(input, { world }) {
      const { path, size } = await world.files.write(requiredText(input, 'path'), requiredText(input, 'text'));
      return { text: `Written: ${size} bytes.`, data: path };
    },
  },
];

function line({ path, size, contentType }: AgentFile): string {
  return `${path} (${size} bytes, ${contentType})`;
}
