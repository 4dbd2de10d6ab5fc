import type { ScrollDirection } from '#browsers/tab/tab.ts';
import { flagIn, numberIn, requiredText, textIn } from '../input.ts';
import { parameters, REF } from '../parameters.ts';
import type { Tool } from '../tool.ts';

const DIRECTIONS: readonly ScrollDirection[] = ['up', 'down', 'left', 'right'];
/** A page that needs longer is looked at in between. */
const SECONDS_MAX = 60;
/** How long is waited for a text, in milliseconds. */
const TEXT_WAIT_MS = 14_000;

/** What can be done with the page as a whole. */
export const PAGE_TOOLS: readonly Tool[] = [
  {
    name: 'navigate',
    description: 'Opens an address in the tab in front.',
    parameters: parameters({
      url: { type: 'string', description: 'A complete address, such as https://example.com/' },
    }),
    isStep: true,
    summary: (input) => `Opened ${requiredText(input, 'url')}`,
    async run(input, { tab }) {
      await (await tab()).open(requiredText(input, 'url'));
      return { text: 'Opened.' };
    },
  },
  {
    name: 'back',
    description: 'Goes back to the page before.',
    parameters: parameters({}),
    isStep: true,
    summary: () => 'Went back',
    async run(_input, { tab }) {
      await (await tab()).back();
      return { text: 'Went back.' };
    },
  },
  {
    name: 'press_key',
    description: 'Presses a key such as Enter, Escape, Tab, ArrowDown, Control+A; on an element when ref is given.',
    parameters: parameters({ key: { type: 'string' }, ref: REF }, ['ref']),
    isStep: true,
    summary: (input) => `Pressed ${requiredText(input, 'key')}`,
    async run(input, { tab }) {
      const [key, ref] = [requiredText(input, 'key'), textIn(input, 'ref')];
      const on = await tab();
      await (ref === undefined ? on.press(key) : on.elements.press(ref, key));
      return { text: 'Pressed.' };
    },
  },
  {
    name: 'scroll',
    description:
      'Scrolls the page, or the area around an element, by some heights of it (1 when left out). More may be loaded then.',
    parameters: parameters(
      {
        direction: { type: 'string', enum: [...DIRECTIONS] },
        pages: { type: 'number', minimum: 0.1, maximum: 100 },
        ref: REF,
      },
      ['pages', 'ref'],
    ),
    isStep: true,
    summary: (input) => `Scrolled ${requiredText(input, 'direction')}`,
    async run(input, { tab }) {
      const wanted = requiredText(input, 'direction');
      const direction = DIRECTIONS.find((one) => one === wanted) ?? 'down';
      await (await tab()).elements.scroll(textIn(input, 'ref') ?? null, direction, numberIn(input, 'pages') ?? 1);
      return { text: 'Scrolled.' };
    },
  },
  {
    name: 'wait',
    description: 'Waits some seconds for what a page does by itself.',
    parameters: parameters({ seconds: { type: 'number', minimum: 0, maximum: SECONDS_MAX } }),
    isStep: true,
    summary: (input) => `Waited ${numberIn(input, 'seconds') ?? 0} s`,
    async run(input, { world }) {
      await world.wait((numberIn(input, 'seconds') ?? 0) * 1_000);
      return { text: 'Waited.' };
    },
  },
  {
    name: 'wait_for_text',
    description: 'Waits up to 14 seconds until a text is visible on the page, or with gone until it is not any more.',
    parameters: parameters({ text: { type: 'string' }, gone: { type: 'boolean' } }, ['gone']),
    isStep: true,
    summary: (input) =>
      `Waited for “${requiredText(input, 'text')}” to ${flagIn(input, 'gone') ? 'go away' : 'appear'}`,
    async run(input, { tab }) {
      const state = flagIn(input, 'gone') ? 'hidden' : 'visible';
      await (await tab()).waitFor(requiredText(input, 'text'), state, TEXT_WAIT_MS);
      return { text: state === 'visible' ? 'It is there.' : 'It has gone.' };
    },
  },
  {
    name: 'answer_dialog',
    description:
      'Says how the next dialog (alert, confirm, prompt) is answered; one that nothing is said of is dismissed. Call it before what opens the dialog.',
    parameters: parameters({ accept: { type: 'boolean' }, text: { type: 'string', description: 'For a prompt' } }, [
      'text',
    ]),
    isStep: true,
    summary: (input) => `Will ${flagIn(input, 'accept') ? 'accept' : 'dismiss'} the next dialog`,
    async run(input, { tab }) {
      const answer = { accept: flagIn(input, 'accept'), text: textIn(input, 'text') ?? '' };
      await (await tab()).dialogs.answerNext(answer);
      return { text: 'The next dialog will be answered so.' };
    },
  },
];
