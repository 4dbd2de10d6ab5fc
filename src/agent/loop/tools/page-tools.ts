import type { ScrollDirection } from '#browsers/tab/tab.ts';
import { outlinePart, getPart, marksOn, type PictureSettings } from '../observe.ts';
import { flagIn, numberIn, toolParameters, refSchema, requiredText, textIn, type Tool, textsIn } from '../tool.ts';

const directions: readonly ScrollDirection[] = ['up', 'down', 'left', 'right'];
/** Maximum duration of one wait in seconds; the model observes the page after it. */
const secondsMax = 60;
/** Timeout of waiting for a text, in milliseconds. */
const textWaitMs = 14_000;

/** Tools for the page as a whole. */
export const pageTools: readonly Tool[] = [
  {
    name: 'navigate',
    description: 'Opens an address in the tab in front.',
    parameters: toolParameters({
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
    parameters: toolParameters({}),
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
    parameters: toolParameters({ key: { type: 'string' }, ref: refSchema }, ['ref']),
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
    parameters: toolParameters(
      {
        direction: { type: 'string', enum: [...directions] },
        pages: { type: 'number', minimum: 0.1, maximum: 100 },
        ref: refSchema,
      },
      ['pages', 'ref'],
    ),
    isStep: true,
    summary: (input) => `Scrolled ${requiredText(input, 'direction')}`,
    async run(input, { tab }) {
      const wanted = requiredText(input, 'direction');
      const direction = directions.find((one) => one === wanted) ?? 'down';
      await (await tab()).elements.scroll(textIn(input, 'ref') ?? null, direction, numberIn(input, 'pages') ?? 1);
      return { text: 'Scrolled.' };
    },
  },
  {
    name: 'wait',
    description: 'Waits some seconds for what a page does by itself.',
    parameters: toolParameters({ seconds: { type: 'number', minimum: 0, maximum: secondsMax } }),
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
    parameters: toolParameters({ text: { type: 'string' }, gone: { type: 'boolean' } }, ['gone']),
    isStep: true,
    summary: (input) =>
      `Waited for “${requiredText(input, 'text')}” to ${flagIn(input, 'gone') ? 'go away' : 'appear'}`,
    async run(input, { tab }) {
      const state = flagIn(input, 'gone') ? 'hidden' : 'visible';
      await (await tab()).waitFor(requiredText(input, 'text'), state, textWaitMs);
      return { text: state === 'visible' ? 'It is there.' : 'It has gone.' };
    },
  },
  {
    name: 'answer_dialog',
    description:
      'Says how the next dialog (alert, confirm, prompt) is answered; one that nothing is said of is dismissed. Call it before what opens the dialog.',
    parameters: toolParameters({ accept: { type: 'boolean' }, text: { type: 'string', description: 'For a prompt' } }, [
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

/** Maximum number of lines in a search result. */
const foundMax = 100;

/**
 * Tools that read the outline of the last observation or store notes. They do not change the page, and their calls are
 * no steps.
 */
export const lookingTools: readonly Tool[] = [
  {
    name: 'look',
    description: `Shows another part of a page's outline that was too long to be shown whole. Parts of ${outlinePart} characters count from 1.`,
    parameters: toolParameters({ part: { type: 'integer', minimum: 1 } }),
    isStep: false,
    summary: () => 'Looked further',
    async run(input, { outline }) {
      const { text, count } = getPart(outline(), numberIn(input, 'part') ?? 1);
      return { text: `The outline has ${count} parts.`, data: text };
    },
  },
  {
    name: 'find',
    description:
      'Finds the lines of the whole outline that contain a text, in any case; also in parts that were not shown.',
    parameters: toolParameters({ text: { type: 'string' } }),
    isStep: false,
    summary: () => 'Searched the page',
    async run(input, { outline }) {
      const wanted = requiredText(input, 'text').toLowerCase();
      const lines = outline()
        .split('\n')
        .filter((line) => line.toLowerCase().includes(wanted));
      const shown = lines.slice(0, foundMax);
      const text = `${lines.length} lines contain it${shown.length < lines.length ? `, the first ${foundMax} are` : ''}:`;
      return lines.length === 0 ? { text: 'No line contains it.' } : { text, data: shown.join('\n') };
    },
  },
  {
    name: 'remember',
    description:
      'Keeps a note of something that is needed later: what was read on earlier pages is not shown for ever.',
    parameters: toolParameters({ text: { type: 'string' } }),
    isStep: false,
    summary: () => 'Made a note',
    async run(input, { notes }) {
      const isKept = notes.add(requiredText(input, 'text'));
      return { text: isKept ? 'Noted.' : 'There is no room for more notes. Write a file instead.' };
    },
  },
];

/** Creates the screenshot tool for a model that accepts pictures. */
export function pictureTool(sight: PictureSettings): Tool {
  return {
    name: 'screenshot',
    description: 'Shows a picture of what is visible of the page.',
    parameters: toolParameters({}),
    isStep: false,
    summary: () => 'Looked at a picture of the page',
    async run(_input, { tab, outline }) {
      const picture = await (await tab()).screenshot(marksOn(outline(), sight));
      return { text: 'The page as it looks:', picture };
    },
  };
}

/** Tools for elements of the page. */
export const elementTools: readonly Tool[] = [
  {
    name: 'click',
    description: 'Clicks an element of the page: a link, a button, a box, a row. Set double for a double click.',
    parameters: toolParameters({ ref: refSchema, double: { type: 'boolean' } }, ['double']),
    isStep: true,
    summary: (input, { getLabel }) =>
      `${flagIn(input, 'double') ? 'Double-clicked' : 'Clicked'} ${getLabel(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      await (await tab()).elements.click(requiredText(input, 'ref'), flagIn(input, 'double') ? 2 : 1);
      return { text: 'Clicked.' };
    },
  },
  {
    name: 'hover',
    description: 'Moves the pointer over an element, for menus and hints that open then.',
    parameters: toolParameters({ ref: refSchema }),
    isStep: true,
    summary: (input, { getLabel }) => `Pointed at ${getLabel(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      await (await tab()).elements.hover(requiredText(input, 'ref'));
      return { text: 'The pointer is there.' };
    },
  },
  {
    name: 'type',
    description:
      'Replaces what a text field holds. Dates are YYYY-MM-DD, times HH:MM. A secret is typed by its placeholder, such as <secret:password>. Set submit to press Enter afterwards.',
    parameters: toolParameters({ ref: refSchema, text: { type: 'string' }, submit: { type: 'boolean' } }, ['submit']),
    isStep: true,
    summary: (input, { getLabel }) =>
      `Typed “${requiredText(input, 'text')}” into ${getLabel(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      const { elements } = await tab();
      const ref = requiredText(input, 'ref');
      await elements.type(ref, requiredText(input, 'text'));
      if (!flagIn(input, 'submit')) return { text: 'Typed.' };
      await elements.press(ref, 'Enter');
      return { text: 'Typed, and pressed Enter.' };
    },
  },
  {
    name: 'select',
    description: 'Chooses one or more options of a drop-down list, by what they say.',
    parameters: toolParameters({ ref: refSchema, options: { type: 'array', items: { type: 'string' } } }),
    isStep: true,
    summary: (input, { getLabel }) =>
      `Chose ${textsIn(input, 'options')
        .map((option) => `“${option}”`)
        .join(', ')} in ${getLabel(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      await (await tab()).elements.select(requiredText(input, 'ref'), textsIn(input, 'options'));
      return { text: 'Chosen.' };
    },
  },
  {
    name: 'check',
    description: 'Switches a check box, radio button or switch on (checked true) or off.',
    parameters: toolParameters({ ref: refSchema, checked: { type: 'boolean' } }),
    isStep: true,
    summary: (input, { getLabel }) =>
      `Switched ${getLabel(requiredText(input, 'ref'))} ${flagIn(input, 'checked') ? 'on' : 'off'}`,
    async run(input, { tab }) {
      await (await tab()).elements.check(requiredText(input, 'ref'), flagIn(input, 'checked'));
      return { text: 'Done.' };
    },
  },
  {
    name: 'extract',
    description:
      'Reads the whole visible text of an element, or of the page when ref is left out; of a field what it holds.',
    parameters: toolParameters({ ref: refSchema }, ['ref']),
    isStep: true,
    summary: (input, { getLabel }) => {
      const ref = textIn(input, 'ref');
      return `Read ${ref === undefined ? 'the page' : getLabel(ref)}`;
    },
    async run(input, { tab }) {
      const ref = textIn(input, 'ref');
      const on = await tab();
      return { text: 'Its text:', data: await (ref === undefined ? on.text() : on.elements.text(ref)) };
    },
  },
  {
    name: 'upload',
    description: 'Puts a file of the workspace into a file input, or into the file chooser that a button opens.',
    parameters: toolParameters({
      ref: refSchema,
      path: { type: 'string', description: 'Path of the file in the workspace' },
    }),
    isStep: true,
    summary: (input, { getLabel }) => `Put ${requiredText(input, 'path')} into ${getLabel(requiredText(input, 'ref'))}`,
    async run(input, { tab, world }) {
      const { path, contentType, bytes } = await world.files.read(requiredText(input, 'path'));
      const name = path.split('/').at(-1) ?? path;
      await (await tab()).elements.upload(requiredText(input, 'ref'), { name, contentType, bytes });
      return { text: 'The file is there.' };
    },
  },
  {
    name: 'download',
    description: 'Clicks an element that starts a download, and waits for it. The file is in the workspace then.',
    parameters: toolParameters({ ref: refSchema }),
    isStep: true,
    summary: (input, { getLabel }) => `Downloaded ${getLabel(requiredText(input, 'ref'))}`,
    async run(input, { tab, world }) {
      const name = await (await tab()).elements.download(requiredText(input, 'ref'));
      const kept = await world.files.downloads();
      return {
        text: 'Files that were downloaded in this task:',
        data: [`name: ${name}`, ...kept.map(({ path }) => path)].join('\n'),
      };
    },
  },
];
