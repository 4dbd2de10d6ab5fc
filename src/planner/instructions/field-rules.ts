import { getPlaceholder } from '#agent/redaction/secrets.ts';
import { markPattern } from '../quoting.ts';
import type { Directive, Parts, Rule } from './directive.ts';
import { readPieces, splitItems } from './split-text.ts';

const nounPattern = '(?:\\s+(?:field|box|input|filter|list|menu|dropdown))?';

/** Rules for fields, boxes and lists of a page. */
export const fieldRules: readonly Rule[] = [
  {
    name: 'log in',
    description: 'Fills in and submits a login form; ends the task if the login fails.',
    examples: ['Log in with the user name ada and the password sesame', 'Sign in as ada with the secret portal'],
    pattern:
      /^(?:log|sign)\s+in\s+(?:(?:as|with)\s+(?:the\s+)?(?:user(?:\s*name)?|login|email|account)?\s*)(?<user>\S+?)(?:\s*,)?(?:\s+(?:and|with)(?:\s+the)?\s+(?:(?<secret>secret\s+)|password\s+)(?<password>.+?))?$/i,
    read: ({ of, raw }) => [
      {
        kind: 'login',
        user: of('user'),
        password: raw('secret') === '' ? of('password') : getPlaceholder(of('password')),
      },
    ],
  },
  {
    name: 'leave empty',
    description: 'Empties a field.',
    examples: ['Leave the comment empty'],
    pattern: /^(?:leave|keep)\s+(?:the\s+)?(?<field>.+?)\s+(?:empty|blank)$|^clear\s+(?:the\s+)?(?<field2>.+?)$/i,
    read: ({ of }) => [{ kind: 'set', field: of('field') || of('field2'), value: '' }],
  },
  {
    name: 'correct',
    description: 'Replaces words in the text of a field.',
    examples: ['Correct the word "teh" to "the"', 'Replace "red" with "blue" in the text'],
    pattern: new RegExp(
      `^(?:correct|replace|change)\\s+(?:the\\s+)?(?:(?:misspelt|misspelled|wrong)\\s+)?(?:(?:word|words|text|phrase)\\s+)?(?<from>${markPattern})\\s+(?:to|with|by|into)\\s+(?<to>${markPattern})(?:\\s+in\\s+.*)?$`,
      'i',
    ),
    read: ({ of }) => [{ kind: 'replace', from: of('from'), to: of('to') }],
  },
  {
    name: 'change',
    description: 'Changes the value of a field, a list or a switch.',
    examples: ['Change the phone number to 555', 'Set the region filter to South', 'Change the name from "A" to "B"'],
    pattern: new RegExp(
      `^(?:set|change|update)\\s+(?:the\\s+)?(?<field>.+?)${nounPattern}(?:\\s+from\\s+${markPattern})?\\s+to\\s+(?<value>.+?)$`,
      'i',
    ),
    read: ({ of }) => [{ kind: 'set', field: of('field'), value: of('value') }],
  },
  {
    name: 'choose for',
    description: 'Chooses a value of a list or a group of buttons by its name.',
    examples: ['Choose North in the region filter', 'Pick Large as the size', 'Select Monday for the day'],
    pattern: new RegExp(
      `^(?:choose|select|pick|set)\\s+(?:the\\s+)?(?<items>.+?\\s+(?:in|as|for|from)\\s+(?:the\\s+)?[^,]+?)$`,
      'i',
    ),
    read: readChoices,
  },
  {
    name: 'choose',
    description: 'Chooses a radio button, an option of a list or a button by its name.',
    examples: ['Choose the room Aalto', 'Pick Standard delivery', 'Select the second floor and Monday'],
    pattern: /^(?:choose|select|pick|add)\s+(?:the\s+)?(?<items>.+?)$/i,
    read: (parts) =>
      /\b(?:to|in|into)\s+(?:the\s+|your\s+)?(?:basket|cart|bag|trolley)$/i.test(parts.raw('items'))
        ? null
        : splitItems(parts.raw('items')).map((item) => ({
            kind: 'choose',
            option: parts.unquote(item.replace(/^(?:the|a|an)\s+/i, '')),
            field: null,
          })),
  },
  {
    name: 'tick',
    description: 'Ticks or unticks checkboxes.',
    examples: ['Tick Library and Swimming pool', 'Untick the newsletter', 'Tick the box that I agree'],
    pattern:
      /^(?<verb>tick|check|mark|untick|uncheck|deselect)\s+(?:the\s+)?(?:(?:check)?box(?:es)?\s+)?(?:(?:that|for|called|saying|named|of)\s+)?(?<items>.+?)(?:\s+(?:check)?box(?:es)?)?$/i,
    read: ({ raw, unquote }) =>
      splitItems(raw('items')).map((item) => ({
        kind: 'tick',
        what: unquote(item.replace(/^the\s+/i, '')),
        isOn: !/^(?:un|de)/i.test(raw('verb')),
      })),
  },
  {
    name: 'do not want',
    description: 'Unticks a checkbox.',
    examples: ["I don't want the newsletter"],
    pattern: /^i\s+(?:don['’]t|do\s+not)\s+want\s+(?:to\s+\w+\s+)?(?:the\s+|any\s+)?(?<what>.+?)$/i,
    read: ({ of }) => [{ kind: 'tick', what: of('what'), isOn: false }],
  },
  {
    name: 'switch',
    description: 'Turns a switch on or off.',
    examples: ['Switch on the light in the kitchen', 'Turn the heating off'],
    pattern:
      /^(?:switch|turn)\s+(?:(?<way>on|off)\s+(?:the\s+)?(?<what>.+?)|(?:the\s+)?(?<what2>.+?)\s+(?<way2>on|off))$/i,
    read: ({ of }) => [{ kind: 'tick', what: of('what') || of('what2'), isOn: /on/i.test(of('way') || of('way2')) }],
  },
  {
    name: 'fill in',
    description:
      'Fills in several fields from a list of names and values; a description may precede the list, before a colon.',
    examples: [
      'Enter the name Ada Byron, the email ada@example.test and the subject "Hello"',
      'Write "Hi" as the message',
    ],
    pattern: /^(?:enter|type|write|give|use|fill\s+in|fill\s+out|provide)\s+(?<items>.+?)$/i,
    read: readFilling,
  },
];

function readChoices({ raw, unquote }: Parts): Directive[] | null {
  const choices = splitItems(raw('items')).map((item) =>
    /^(?<option>.+?)\s+(?:in|as|for|from)\s+(?:the\s+)?(?<field>.+?)(?:\s+(?:filter|list|menu|field|box|dropdown))?$/i.exec(
      item,
    ),
  );
  const known = choices.flatMap((choice) => (choice?.groups === undefined ? [] : [choice.groups]));
  if (known.length < choices.length) return null;
  return known.map(({ option = '', field = '' }) => ({
    kind: 'choose',
    option: unquote(option.replace(/^the\s+/i, '')),
    field: unquote(field),
  }));
}

function readFilling({ raw, unquote }: Parts): Directive[] | null {
  const list = raw('items')
    .replace(/^(?:the\s+)?(?:form|details|fields|data|(?:\w+\s+)?address)\s*(?::|with)\s*/i, '')
    .trim();
  if (list === '' || /^(?:the\s+)?(?:form|survey|questionnaire|details)\b/i.test(list)) return null;
  const given =
    /^(?<value>[^,]+?)\s+(?:as|in|into|for)\s+(?:the\s+|your\s+)?(?<field>[^,]+?)(?:\s+(?:field|box|input))?$/i.exec(
      list,
    );
  if (given?.groups !== undefined && !/\sand\s/i.test(list))
    return [{ kind: 'set', field: unquote(given.groups['field'] ?? ''), value: unquote(given.groups['value'] ?? '') }];
  return [{ kind: 'assign', pieces: readPieces(list, unquote) }];
}
