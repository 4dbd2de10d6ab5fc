import { flagIn, toolParameters, REF, requiredText, textIn, textsIn, type Tool } from '../tool.ts';

/** Tools for elements of the page. */
export const ELEMENT_TOOLS: readonly Tool[] = [
  {
    name: 'click',
    description: 'Clicks an element of the page: a link, a button, a box, a row. Set double for a double click.',
    parameters: toolParameters({ ref: REF, double: { type: 'boolean' } }, ['double']),
    isStep: true,
    summary: (input, { labelOf }) =>
      `${flagIn(input, 'double') ? 'Double-clicked' : 'Clicked'} ${labelOf(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      await (await tab()).elements.click(requiredText(input, 'ref'), flagIn(input, 'double') ? 2 : 1);
      return { text: 'Clicked.' };
    },
  },
  {
    name: 'hover',
    description: 'Moves the pointer over an element, for menus and hints that open then.',
    parameters: toolParameters({ ref: REF }),
    isStep: true,
    summary: (input, { labelOf }) => `Pointed at ${labelOf(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      await (await tab()).elements.hover(requiredText(input, 'ref'));
      return { text: 'The pointer is there.' };
    },
  },
  {
    name: 'type',
    description:
      'Replaces what a text field holds. Dates are YYYY-MM-DD, times HH:MM. A secret is typed by its placeholder, such as <secret:password>. Set submit to press Enter afterwards.',
    parameters: toolParameters({ ref: REF, text: { type: 'string' }, submit: { type: 'boolean' } }, ['submit']),
    isStep: true,
    summary: (input, { labelOf }) =>
      `Typed “${requiredText(input, 'text')}” into ${labelOf(requiredText(input, 'ref'))}`,
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
    parameters: toolParameters({ ref: REF, options: { type: 'array', items: { type: 'string' } } }),
    isStep: true,
    summary: (input, { labelOf }) =>
      `Chose ${textsIn(input, 'options')
        .map((option) => `“${option}”`)
        .join(', ')} in ${labelOf(requiredText(input, 'ref'))}`,
    async run(input, { tab }) {
      await (await tab()).elements.select(requiredText(input, 'ref'), textsIn(input, 'options'));
      return { text: 'Chosen.' };
    },
  },
  {
    name: 'check',
    description: 'Switches a check box, radio button or switch on (checked true) or off.',
    parameters: toolParameters({ ref: REF, checked: { type: 'boolean' } }),
    isStep: true,
    summary: (input, { labelOf }) =>
      `Switched ${labelOf(requiredText(input, 'ref'))} ${flagIn(input, 'checked') ? 'on' : 'off'}`,
    async run(input, { tab }) {
      await (await tab()).elements.check(requiredText(input, 'ref'), flagIn(input, 'checked'));
      return { text: 'Done.' };
    },
  },
  {
    name: 'extract',
    description:
      'Reads the whole visible text of an element, or of the page when ref is left out; of a field what it holds.',
    parameters: toolParameters({ ref: REF }, ['ref']),
    isStep: true,
    summary: (input, { labelOf }) => {
      const ref = textIn(input, 'ref');
      return `Read ${ref === undefined ? 'the page' : labelOf(ref)}`;
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
      ref: REF,
      path: { type: 'string', description: 'Path of the file in the workspace' },
    }),
    isStep: true,
    summary: (input, { labelOf }) => `Put ${requiredText(input, 'path')} into ${labelOf(requiredText(input, 'ref'))}`,
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
    parameters: toolParameters({ ref: REF }),
    isStep: true,
    summary: (input, { labelOf }) => `Downloaded ${labelOf(requiredText(input, 'ref'))}`,
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
