import { markPattern } from '../quoting.ts';
import type { Rule } from './directive.ts';
import { fieldRules } from './field-rules.ts';
import { readPieces } from './split-text.ts';

const basketPattern = '(?:basket|cart|bag|trolley)';
const numbers: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 };
const fallingPattern = /heav|larg|high|big|most|new|late|recent|expens|long|warm|z to a|descend/i;

/** Rules for pages, links and submissions. */
const pageRules: readonly Rule[] = [
  {
    name: 'open',
    description: 'Opens a URL.',
    examples: ['Open https://example.com/', 'Visit https://example.com/shop'],
    pattern: new RegExp(
      `^(?:open|go\\s+to|visit|navigate\\s+to|browse\\s+to|load)\\s+(?:the\\s+)?(?:(?:page|site|website)\\s+)?(?:at\\s+)?(?<url>${markPattern})$`,
      'i',
    ),
    read: ({ of }) => (/^[a-z]+:/i.test(of('url')) ? [{ kind: 'open', url: of('url') }] : null),
  },
  {
    name: 'again',
    description: 'Reloads a page that failed. A page that could not be served is reloaded in any case.',
    examples: ['Load it again', 'If it does, reload the page'],
    pattern:
      /^(?:if\s+(?:it|that|this)\s+(?:does|happens|fails)\s*,?\s*)?(?:(?:load|try)\s+(?:it\s+|the\s+page\s+)?again|reload(?:\s+(?:it|the\s+page))?|refresh(?:\s+(?:it|the\s+page))?)$/i,
    read: () => [],
  },
  {
    name: 'back',
    description: 'Goes back to the previous page.',
    examples: ['Go back', 'Go back to the previous page'],
    pattern: /^go\s+back(?:\s+to\s+(?:the\s+)?(?:previous\s+page|page\s+before|last\s+page))?$/i,
    read: () => [{ kind: 'back' }],
  },
  {
    name: 'go on until',
    description: 'Presses a button until a text appears.',
    examples: ['Go to July 2026 with the next month button'],
    pattern:
      /^(?:go|move|leaf|page)\s+(?:on\s+)?to\s+(?<until>.+?)\s+(?:with|using|by)\s+(?:the\s+)?(?<what>.+?)\s+(?:button|arrow|link)$/i,
    read: ({ of }) => [{ kind: 'pressUntil', what: of('what'), until: of('until') }],
  },
  {
    name: 'search',
    description: 'Fills in the search field of the page and submits it.',
    examples: ['Search for "pears"'],
    pattern: /^(?:search|look)\s+(?:the\s+\w+\s+)?for\s+(?<text>.+?)$/i,
    read: ({ of }) => [{ kind: 'search', text: of('text') }],
  },
  {
    name: 'basket',
    description: 'Puts a product into the basket; searches for its name if the page does not show it.',
    examples: ['Put two Blue Mugs in the basket', 'Add it to the cart'],
    pattern: new RegExp(
      `^(?:put|add|place)\\s+(?:(?<count>\\d+|${Object.keys(numbers).join('|')})\\s+)?(?<what>.+?)\\s+(?:in|into|to)\\s+(?:the|your|my)\\s+${basketPattern}$`,
      'i',
    ),
    read: ({ of }) => [
      {
        kind: 'basket',
        what: /^(?:it|them|this|that)$/i.test(of('what')) ? '' : of('what').replace(/^the\s+/i, ''),
        quantity: numbers[of('count').toLowerCase()] ?? Number(of('count') || 1),
      },
    ],
  },
  {
    name: 'sort',
    description: 'Sorts a table by a column, with the largest or the smallest value at the top.',
    examples: ['Sort the table by weight so that the heaviest is at the top', 'Sort the list by name'],
    pattern:
      /^sort\s+(?:(?:the\s+)?(?:table|list|rows|\w+)\s+)?by\s+(?:the\s+)?(?<column>[\w ]+?)(?:(?:,?\s+(?:so\s+that|with)|\s*,)\s*(?<how>.+)|\s+(?<how2>descending|ascending))?$/i,
    read: ({ of }) => [
      {
        kind: 'sort',
        column: of('column'),
        order: fallingPattern.test(of('how') || of('how2')) ? 'falling' : 'rising',
      },
    ],
  },
  {
    name: 'scroll',
    description: 'Scrolls down, or until a named text appears.',
    examples: ['Scroll down', 'Scroll down until you see the post by Ada', 'Find a post by Ada'],
    pattern:
      /^(?:scroll(?:\s+(?:down|to\s+the\s+bottom|on))*(?:\s+in\s+the\s+\w+)?(?:\s+(?:to\s+(?:load|see)\s+more|until\s+(?:you\s+(?:see|find|reach)|there\s+is)\s+(?<until>.+?)(?:\s+(?:appears|is\s+shown))?))?|find\s+(?<what>(?:a|an|the)\s+.+?))$/i,
    read: ({ of }) => [{ kind: 'scroll', until: of('until') || of('what') || null }],
  },
  {
    name: 'upload',
    description: 'Puts a file of the workspace into a file input.',
    examples: ['Upload the file cv.pdf', 'Upload cv.pdf from the workspace with the title "CV"'],
    pattern: new RegExp(
      `^(?:upload|attach)\\s+(?:the\\s+)?(?:file\\s+)?(?<file>${markPattern}|[\\w-]+\\.\\w+)(?:\\s+from\\s+(?:the|your|my)\\s+workspace)?(?:\\s+with\\s+(?:the\\s+)?(?<pieces>.+))?$`,
      'i',
    ),
    read: ({ of, raw, unquote }) => [
      { kind: 'upload', name: of('file'), field: null },
      ...(raw('pieces') === '' ? [] : [{ kind: 'assign', pieces: readPieces(raw('pieces'), unquote) } as const]),
    ],
  },
  {
    name: 'download',
    description: 'Downloads a file by the name of its link or button; the file is stored in the folder downloads.',
    examples: ['Download the invoice for March', 'Download the list as CSV'],
    pattern: /^download\s+(?:the\s+)?(?<what>.+?)$/i,
    read: ({ of }) => [{ kind: 'download', what: of('what') }],
  },
  {
    name: 'next to',
    description: 'Presses a button beside a named element, or in its row.',
    examples: ['Click Follow next to her name', 'Press Like on it', 'Cancel the booking called "Budget"'],
    pattern: new RegExp(
      `^(?:(?:click|press|hit|tap)\\s+(?:on\\s+)?(?<what>.+?)\\s+(?:next\\s+to|beside|by|on|for|in\\s+the\\s+row\\s+of)\\s+(?<near>.+?)|(?<verb>\\w+)\\s+the\\s+(?:\\w+\\s+)?(?:called|named|titled)\\s+(?<named>.+?)|(?<verb2>\\w+)\\s+the\\s+one\\s+(?:at|for|in|by|on|of|with)\\s+(?<at>.+?))$`,
      'i',
    ),
    read: ({ of }) => [
      {
        kind: 'press',
        what: of('what') || of('verb') || of('verb2'),
        near: of('near') || of('named') || of('at'),
        isOptional: false,
      },
    ],
  },
  {
    name: 'click',
    description: 'Clicks a link, button or other element by its name.',
    examples: ['Click "More"', 'Click on the Sign in button', 'Press "Apply" if there is such a button'],
    pattern:
      /^(?:click|press|hit|tap)\s+(?:on\s+)?(?:the\s+)?(?:(?:link|button|tab)\s+)?(?<what>.+?)(?:\s+(?:link|button|tab))?(?<optional>\s+if\s+there\s+is\s+.*)?$/i,
    read: ({ of, raw }) => [{ kind: 'press', what: of('what'), near: null, isOptional: raw('optional') !== '' }],
  },
  {
    name: 'log out',
    description: 'Logs out of an account.',
    examples: ['Log out', 'Sign out again'],
    pattern: /^(?:log|sign)\s+(?:out|off)(?:\s+(?:again|afterwards))*$/i,
    read: () => [{ kind: 'press', what: 'log out', near: null, isOptional: false }],
  },
  {
    name: 'go on',
    description: 'Presses Continue or Next.',
    examples: ['Continue', 'Proceed'],
    pattern: /^(?:continue|proceed|go\s+on)$/i,
    read: () => [{ kind: 'submit', verb: 'continue', what: '' }],
  },
  {
    name: 'go to',
    description: 'Follows the link to a named page, unless it is already open.',
    examples: ['Go to the checkout', 'Open the settings', 'Open the article about "hops"', 'Go to the board "News"'],
    pattern: /^(?:open|go\s+to|visit|follow|view|look\s+at)\s+(?:(?:the|its|their|a|my|your)\s+)?(?<what>.+?)$/i,
    read: ({ of }) => [{ kind: 'visit', what: of('what') }],
  },
  {
    name: 'send',
    description: 'Presses the button that submits or saves the form.',
    examples: ['Send the form', 'Save it', 'Place the order', 'Book it', 'Apply it', 'Show the results'],
    pattern:
      /^(?<verb>send|submit|save|post|publish|book|reserve|place|request|apply|confirm|hand|register|subscribe|start|show|order|accept|finish|complete)(?:\s+(?:in|up))?(?:\s+(?:it|them|this)|\s+(?:the|your|my|this)\s+(?<what>[\w ]+?))?(?:\s+in)?$/i,
    read: ({ of }) => [{ kind: 'submit', verb: of('verb'), what: of('what') }],
  },
  {
    name: 'apply with',
    description: 'Fills in the named fields, then presses the button with the name of the verb.',
    examples: ['Register for the course with the name Ada and the email ada@example.test'],
    pattern:
      /^(?<verb>subscribe|register|apply|sign\s+up|enrol)\s+(?:for|to)\s+(?:the\s+|a\s+|an\s+)?(?<what>[\w ]+?)\s+with\s+(?<items>.+?)$/i,
    read: ({ of, raw, unquote }) => [
      { kind: 'headline', what: of('what') },
      { kind: 'assign', pieces: readPieces(raw('items'), unquote) },
      { kind: 'submit', verb: of('verb'), what: '' },
    ],
  },
  {
    name: 'what it is about',
    description: 'Introduces the following instructions; has no effect itself.',
    examples: ['Apply for a parking permit', 'Start a new thread on the board "Tools"', 'Fill in the survey'],
    pattern: new RegExp(
      `^(?:get|apply\\s+for|register\\s+for|sign\\s+up\\s+for|subscribe\\s+to|start|create|make|write|fill\\s+in|fill\\s+out|complete)\\s+(?:a|an|the)\\s+(?<what>[\\w ]+?)(?:\\s+(?:on|in)\\s+the\\s+\\w+\\s+(?<place>${markPattern}))?$`,
      'i',
    ),
    read: ({ of }) => [
      ...(of('place') === '' ? [] : [{ kind: 'visit', what: of('place') } as const]),
      { kind: 'headline', what: of('what') },
    ],
  },
];

/** All rules of the parser. The first rule that accepts an instruction applies. */
export const directiveRules: readonly Rule[] = [...pageRules.slice(0, 7), ...fieldRules, ...pageRules.slice(7)];
