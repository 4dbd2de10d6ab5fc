import { getPlaceholder } from '#agent/redaction/secrets.ts';
import { filePhrases, mailPhrases, textPhrases } from './text-phrases.ts';
import { type Phrase, readVerb, clause } from './phrase.ts';
import type { Reading } from '#agent/answer/plan.ts';
import { markPattern } from './quoting.ts';

export type { Phrase } from './phrase.ts';

/**
 * Pattern of an address: a marker that stands for a URL or quotation, or a host name with an optional path, such as
 * example.com/path.
 */
const addressPattern = `(?<url>${markPattern}|(?:[a-z0-9-]+\\.)+[a-z]{2,}(?::\\d+)?(?:/\\S*)?)`;

/** Pattern of one word: a marker that stands for a URL or quotation, or any other word. */
const wordPattern = `(?:${markPattern}|[^\\s\\uE000]+)`;

const thePattern = "(?:(?:all|of|the|its|this|that|every|main|page's|page)\\s+)*";
const thingPattern = '(?<thing>titles?|headings?|headlines?|links?|tables?|text|content|contents|url|address)';
const wherePattern =
  '(?:\\s+(?:of|on|from|in|at)\\s+(?:(?:the|this|that)\\s+)?(?:page|site|website|it|there))?(?:\\s+(?:is|are))?';

const keys: Readonly<Record<string, string>> = {
  enter: 'Enter',
  return: 'Enter',
  escape: 'Escape',
  esc: 'Escape',
  tab: 'Tab',
  space: 'Space',
  backspace: 'Backspace',
  delete: 'Delete',
  'arrow down': 'ArrowDown',
  'arrow up': 'ArrowUp',
  'page down': 'PageDown',
  'page up': 'PageUp',
};

const readingsByWord: readonly (readonly [pattern: RegExp, reading: Reading])[] = [
  [/^title/i, 'title'],
  [/^head/i, 'headings'],
  [/^link/i, 'links'],
  [/^table/i, 'tables'],
  [/^(text|content)/i, 'text'],
  [/^(url|address)/i, 'url'],
];

/** Maximum wait of one step in seconds: ten minutes. */
const waitSecondsMax = 600;

/** All kinds of instructions. The first whose pattern matches a clause applies. */
export const plannerPhrases: readonly Phrase[] = [
  {
    name: 'open',
    description: 'Opens a URL. A host name without a scheme is opened with https.',
    examples: ['Open https://example.com/', 'Go to example.com', 'Visit the page https://example.com/shop'],
    pattern: clause(
      `(?:open|go\\s+to|navigate\\s+to|visit|browse\\s+to|load)\\s+(?:the\\s+)?(?:(?:page|site|website|url|address)\\s+)?(?:at\\s+)?${addressPattern}`,
    ),
    actions: ({ url = '' }) => [{ kind: 'open', url: withScheme(url) }],
  },
  ...filePhrases,
  ...mailPhrases,
  {
    name: 'press',
    description: 'Presses a key: Enter, Escape, Tab, Space, Backspace, Delete, Arrow Up/Down, Page Up/Down.',
    examples: ['Press Enter', 'Hit the Escape key'],
    pattern: clause(`(?:press|hit)\\s+(?:the\\s+)?(?<key>${Object.keys(keys).join('|')})(?:\\s+key)?`),
    actions: ({ key = '' }) => [{ kind: 'press', key: keys[key.toLowerCase().replace(/\s+/g, ' ')] ?? 'Enter' }],
  },
  {
    name: 'secret',
    description:
      'Fills in a field with a secret of the task, by its name. A text can contain a secret as <secret:name>.',
    examples: ["Type the secret 'password' into 'Password'", "Fill in Password with the secret 'password'"],
    pattern: clause(
      `(?:(?:type|enter|write|put|input)\\s+(?:the|my)\\s+secret\\s+(?<name>${wordPattern})\\s+(?:in|into|to)\\s+(?:the\\s+)?(?<field>.+?)(?:\\s+(?:field|box|input))?` +
        `|fill(?:\\s+in)?\\s+(?:the\\s+)?(?<field2>.+?)(?:\\s+(?:field|box|input))?\\s+with\\s+(?:the|my)\\s+secret\\s+(?<name2>${wordPattern}))`,
    ),
    actions: ({ name, field, name2, field2 }) => [
      { kind: 'type', field: field ?? field2 ?? '', text: getPlaceholder(name ?? name2 ?? '') },
    ],
  },
  {
    name: 'type',
    description: 'Fills in a field, found by its label, placeholder or name.',
    examples: ["Type 'pears' into 'Search'", "Enter 'me@example.com' in the Email field", "Fill in Name with 'Ada'"],
    pattern: clause(
      '(?:(?:type|enter|write|put|input)\\s+(?<text>.+?)\\s+(?:in|into|to)\\s+(?:the\\s+)?(?<field>.+?)(?:\\s+(?:field|box|input))?' +
        '|fill(?:\\s+in)?\\s+(?:the\\s+)?(?<field2>.+?)(?:\\s+(?:field|box|input))?\\s+with\\s+(?<text2>.+?))',
    ),
    actions: ({ text, field, text2, field2 }) => [
      { kind: 'type', field: field ?? field2 ?? '', text: text ?? text2 ?? '' },
    ],
  },
  {
    name: 'search',
    description: 'Fills in the field "Search" and presses Enter.',
    examples: ["Search for 'pears'"],
    pattern: clause('search\\s+for\\s+(?<text>.+?)'),
    actions: ({ text = '' }) => [
      { kind: 'type', field: 'Search', text },
      { kind: 'press', key: 'Enter' },
    ],
  },
  {
    name: 'read',
    description: 'Reads the title, headings, links, tables, text or URL of the page; opens a named page first.',
    examples: ['Tell me the title', 'List the headings and links', 'What is the title of https://example.com/?'],
    pattern: clause(
      `(?:${readVerb}\\s+)?${thePattern}${thingPattern}(?:${wherePattern}|\\s+(?:of|on|from|at)\\s+(?:the\\s+page\\s+)?${addressPattern})`,
    ),
    actions: ({ thing = '', url }) => [
      ...(url === undefined ? [] : [{ kind: 'open', url: withScheme(url) } as const]),
      { kind: 'read', what: getReading(thing) },
    ],
  },
  {
    name: 'click',
    description: 'Clicks a link, button or other element by its name.',
    examples: ["Click 'More'", 'Click on the Sign in button', 'Follow the link "Next page"'],
    pattern: clause(
      '(?:click|press|tap|select|choose|follow)\\s+(?:on\\s+)?(?:the\\s+)?(?:(?:link|button|tab)\\s+)?(?<name>.+?)(?:\\s+(?:link|button|tab))?',
    ),
    actions: ({ name = '' }) => [{ kind: 'click', name }],
  },
  {
    name: 'wait',
    description: 'Waits 0 to 600 seconds.',
    examples: ['Wait 5 seconds', 'Wait for 1 s'],
    pattern: clause('wait\\s+(?:for\\s+)?(?<seconds>\\d{1,3})\\s*(?:s|secs?|seconds?)'),
    actions: ({ seconds = '0' }) => [{ kind: 'wait', seconds: Math.min(Number(seconds), waitSecondsMax) }],
  },
  ...textPhrases,
];

function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`;
}

function getReading(thing: string): Reading {
  return readingsByWord.find(([pattern]) => pattern.test(thing))?.[1] ?? 'text';
}
