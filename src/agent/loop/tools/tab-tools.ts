import type { JsonObject } from '#lib/json.ts';
import { numberIn, textIn } from '../input.ts';
import { parameters } from '../parameters.ts';
import type { Tool } from '../tool.ts';

const NUMBER: JsonObject = { type: 'integer', minimum: 1, description: 'Number of the tab' };

/** What can be done with the tabs of the browser. Which there are stands in every observation. */
export const TAB_TOOLS: readonly Tool[] = [
  {
    name: 'show_tab',
    description: 'Brings another tab to the front, to work in it.',
    parameters: parameters({ number: NUMBER }),
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
    parameters: parameters({ number: NUMBER }),
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
    parameters: parameters({ url: { type: 'string' } }, ['url']),
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
