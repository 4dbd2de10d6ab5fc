import { numberIn, requiredText } from '../input.ts';
import { parameters } from '../parameters.ts';
import { OUTLINE_PART, partOf } from '../parts-of-outline.ts';
import type { Tool } from '../tool.ts';

/** Lines that one search answers at most. */
const FOUND_MAX = 100;

/** What helps to look and to remember. Nothing of it touches the page, so nothing of it is a step. */
export const LOOKING_TOOLS: readonly Tool[] = [
  {
    name: 'look',
    description: `Shows another part of a page's outline that was too long to be shown whole. Parts of ${OUTLINE_PART} characters count from 1.`,
    parameters: parameters({ part: { type: 'integer', minimum: 1 } }),
    isStep: false,
    summary: () => 'Looked further',
    async run(input, { outline }) {
      const { text, count } = partOf(outline(), numberIn(input, 'part') ?? 1);
      return { text: `The outline has ${count} parts.`, data: text };
    },
  },
  {
    name: 'find',
    description:
      'Finds the lines of the whole outline that contain a text, in any case; also in parts that were not shown.',
    parameters: parameters({ text: { type: 'string' } }),
    isStep: false,
    summary: () => 'Searched the page',
    async run(input, { outline }) {
      const wanted = requiredText(input, 'text').toLowerCase();
      const lines = outline()
        .split('\n')
        .filter((line) => line.toLowerCase().includes(wanted));
      const shown = lines.slice(0, FOUND_MAX);
      const text = `${lines.length} lines contain it${shown.length < lines.length ? `, the first ${FOUND_MAX} are` : ''}:`;
      return lines.length === 0 ? { text: 'No line contains it.' } : { text, data: shown.join('\n') };
    },
  },
  {
    name: 'remember',
    description:
      'Keeps a note of something that is needed later: what was read on earlier pages is not shown for ever.',
    parameters: parameters({ text: { type: 'string' } }),
    isStep: false,
    summary: () => 'Made a note',
    async run(input, { notes }) {
      const isKept = notes.add(requiredText(input, 'text'));
      return { text: isKept ? 'Noted.' : 'There is no room for more notes. Write a file instead.' };
    },
  },
];

/** Offered only to models that understand pictures. */
export const PICTURE_TOOL: Tool = {
  name: 'screenshot',
  description: 'Shows a picture of what is visible of the page.',
  parameters: parameters({}),
  isStep: false,
  summary: () => 'Looked at a picture of the page',
  async run(_input, { tab }) {
    return { text: 'The page as it looks:', picture: await (await tab()).screenshot() };
  },
};
