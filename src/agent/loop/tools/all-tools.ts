import { numberIn, toolParameters, requiredText, textIn, type Tool } from '../tool.ts';
import { elementTools, lookingTools, pageTools, pictureTool } from './page-tools.ts';
import type { PictureSettings } from '../observe.ts';
import type { JsonObject } from '#lib/json.ts';
import type { AgentFile } from '../../files.ts';

const pathSchema: JsonObject = { type: 'string', description: 'Path in the workspace, such as reports/2026.txt' };
/** Tools for the files of the workspace. */
const fileTools: readonly Tool[] = [
  {
    name: 'list_files',
    description: 'Lists the files of the workspace: attachments, downloads, and what was written.',
    parameters: toolParameters({}),
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
    parameters: toolParameters({ path: pathSchema }),
    isStep: true,
    summary: (input) => `Read the file ${requiredText(input, 'path')}`,
    async run(input, { world }) {
      return { text: 'It says:', data: (await world.files.readText(requiredText(input, 'path'))).text };
    },
  },
  {
    name: 'write_file',
    description: 'Writes a text file into the workspace; a file of that path is replaced.',
    parameters: toolParameters({ path: pathSchema, text: { type: 'string' } }),
    isStep: true,
    summary: (input) => `Wrote the file ${requiredText(input, 'path')}`,
    async run(input, { world }) {
      const { path, size } = await world.files.write(requiredText(input, 'path'), requiredText(input, 'text'));
      return { text: `Written: ${size} bytes.`, data: path };
    },
  },
];

/** Selection of the tools that a task offers to its model. */
interface Offered {
  readonly sight: PictureSettings;
  /** Whether the model may keep notes. */
  readonly hasNotes: boolean;
  /** Tools that depend on the service or the task. */
  readonly more: readonly Tool[];
}

/** Returns the tools that a model can call besides `finish`: tools for the browser, files and notes, and `more`. */
export function allTools({ sight, hasNotes, more }: Offered): readonly Tool[] {
  const pictures = sight.pictures === 'never' ? [] : [pictureTool(sight)];
  const looking = lookingTools.filter(({ name }) => hasNotes || name !== 'remember');
  return [...pageTools, ...elementTools, ...tabTools, ...fileTools, ...looking, ...pictures, ...more];
}

const number: JsonObject = { type: 'integer', minimum: 1, description: 'Number of the tab' };

/** Tools for the tabs of the browser. An observation lists the tabs if more than one is open. */
const tabTools: readonly Tool[] = [
  {
    name: 'show_tab',
    description: 'Brings another tab to the front, to work in it.',
    parameters: toolParameters({ number: number }),
    isStep: true,
    summary: (input) => `Went to tab ${numberIn(input, 'number') ?? 0}`,
    async run(input, { tab }) {
      await (await tab()).tabs.show(numberIn(input, 'number') ?? 0);
      return { text: 'It is in front.' };
    },
  },
  {
    name: 'close_tab',
    description: 'Closes a tab; another one is in front then.',
    parameters: toolParameters({ number: number }),
    isStep: true,
    summary: (input) => `Closed tab ${numberIn(input, 'number') ?? 0}`,
    async run(input, { tab }) {
      await (await tab()).tabs.close(numberIn(input, 'number') ?? 0);
      return { text: 'Closed.' };
    },
  },
  {
    name: 'open_tab',
    description: 'Opens a new tab in front, with an address when one is given.',
    parameters: toolParameters({ url: { type: 'string' } }, ['url']),
    isStep: true,
    summary: (input) => `Opened a new tab${textIn(input, 'url') === undefined ? '' : ` with ${textIn(input, 'url')}`}`,
    async run(input, { tab }) {
      const on = await tab();
      await on.tabs.add();
      const url = textIn(input, 'url');
      if (url !== undefined) await on.open(url);
      return { text: 'Opened.' };
    },
  },
];

function line({ path, size, contentType }: AgentFile): string {
  return `${path} (${size} bytes, ${contentType})`;
}
