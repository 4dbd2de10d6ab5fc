import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGoal } from './parse-goal.ts';
import { plannerPhrases } from './phrases.ts';
import type { Action } from '#agent/answer/plan.ts';

const open = (url: string): Action => ({ kind: 'open', url });
const click = (name: string): Action => ({ kind: 'click', name });
const type = (text: string, field: string): Action => ({ kind: 'type', field, text });
const press = (key: string): Action => ({ kind: 'press', key });
const read = (what: Extract<Action, { kind: 'read' }>['what']): Action => ({ kind: 'read', what });
const save = (name: string, text: string | null = null): Action => ({ kind: 'writeFile', name, text });
const readFile = (name: string | null): Action => ({ kind: 'readFile', name });
const upload = (name: string, field: string | null): Action => ({ kind: 'upload', name, field });
const waitForMail = (from: string | null = null, subject: string | null = null): Action => ({
  kind: 'waitForMail',
  from,
  subject,
});
const say = (text: string): Action => ({ kind: 'say', text });

const understood: readonly { readonly given: string; readonly want: readonly Action[] }[] = [
  { given: 'Open https://a.example and tell me the title', want: [open('https://a.example'), read('title')] },
  {
    given:
      "Go to https://a.example/x?y=1,2. Click 'More', type 'red, and blue' into 'Search', press Enter, then list the headings.",
    want: [
      open('https://a.example/x?y=1,2'),
      click('More'),
      type('red, and blue', 'Search'),
      press('Enter'),
      read('headings'),
    ],
  },
  { given: 'please visit example.com/shop', want: [open('https://example.com/shop')] },
  { given: 'Open localhost.example:8080', want: [open('https://localhost.example:8080')] },
  { given: 'Open http://127.0.0.1:8080/', want: [open('http://127.0.0.1:8080/')] },
  { given: 'Open file:///etc/passwd', want: [open('file:///etc/passwd')] },
  {
    given: 'Open data:text/html,<title>x</title> and read the text of the page',
    want: [open('data:text/html,<title>x</title>'), read('text')],
  },
  { given: 'What is the title of https://a.example/?', want: [open('https://a.example/'), read('title')] },
  { given: 'List the headings, links and tables', want: [read('headings'), read('links'), read('tables')] },
  { given: "Tell me the page's title and its URL", want: [read('title'), read('url')] },
  { given: 'Return all the links on this page', want: [read('links')] },
  { given: 'Click on the Sign in button', want: [click('Sign in')] },
  { given: 'Follow the link "Next and last"', want: [click('Next and last')] },
  { given: 'Press More', want: [click('More')] },
  { given: 'hit the escape key', want: [press('Escape')] },
  { given: 'Fill in Name with Ada', want: [type('Ada', 'Name')] },
  { given: 'Fill the "E-mail" field with \'a@b.example\'', want: [type('a@b.example', 'E-mail')] },
  { given: 'Enter "x y" in the Notes box', want: [type('x y', 'Notes')] },
  { given: "Search for 'pears'", want: [type('pears', 'Search'), press('Enter')] },
  {
    given: 'Wait 2 seconds; wait for 999 s',
    want: [
      { kind: 'wait', seconds: 2 },
      { kind: 'wait', seconds: 600 },
    ],
  },
  { given: 'Reply with the word ready', want: [say('ready')] },
  { given: "Type the secret 'shop.example' into 'Password'", want: [type('<secret:shop.example>', 'Password')] },
  { given: 'Type my secret pin into the PIN field', want: [type('<secret:pin>', 'PIN')] },
  { given: "Type 'mail-<secret:user>@x.example' into 'Mail'", want: [type('mail-<secret:user>@x.example', 'Mail')] },
  { given: "Type secret santa into 'Topic'", want: [type('secret santa', 'Topic')] },
  { given: "Type your mail address into 'Email'", want: [{ kind: 'mailAddress', field: 'Email' }] },
  { given: "Type 'my mail address' into 'Email'", want: [type('my mail address', 'Email')] },
  {
    given: 'Wait for the mail, open the link in the mail and tell me the title',
    want: [waitForMail(), { kind: 'mailLink', name: null }, read('title')],
  },
  {
    given: "Wait for a mail from 'a@b.example' with the subject 'Code, please'. Click the link 'Yes' in the mail",
    want: [waitForMail('a@b.example', 'Code, please'), { kind: 'mailLink', name: 'Yes' }],
  },
  { given: "Enter the verification code from the mail into 'Code'", want: [{ kind: 'mailCode', field: 'Code' }] },
  { given: 'Tell me the code in the mail', want: [{ kind: 'mailCode', field: null }] },
  { given: 'Read the mail', want: [{ kind: 'readMail' }] },
  { given: "Click 'Mail'", want: [click('Mail')] },
  { given: 'Say hello', want: [say('hello')] },
  { given: "Say hello, world and don't stop", want: [say("hello, world and don't stop")] },
  { given: 'Answer with exactly "4. Really."', want: [say('4. Really.')] },
  { given: 'Return the exact text: hello world', want: [say('hello world')] },
  { given: 'Return the exact text hello world.', want: [say('hello world')] },
  { given: 'Return the exact text: hello, world and more', want: [say('hello, world and more')] },
  { given: "Return exactly: I'm ready!", want: [say("I'm ready")] },
  { given: 'Return the word ready', want: [say('ready')] },
  { given: "Return only the text 'a, b. c'", want: [say('a, b. c')] },
  { given: 'Reply with only the word ready and nothing else.', want: [say('ready')] },
  { given: 'Just reply with: pong', want: [say('pong')] },
  { given: 'Respond only with OK. Do not use the browser.', want: [say('OK')] },
  { given: 'Reply with the following sentence: In the beginning', want: [say('In the beginning')] },
  { given: 'What is 2 + 2?', want: [say('4')] },
  { given: "What's 2+2", want: [say('4')] },
  { given: 'What is 3.5 + 1.25?', want: [say('4.75')] },
  { given: 'What is 7 times 6? Reply with only the number.', want: [say('42')] },
  { given: 'Calculate (1.5 + 2) * -4 please', want: [say('-14')] },
  { given: 'Tell me the result of 12 divided by 8', want: [say('1.5')] },
  { given: 'Compute 1 / 3', want: [say('about 0.3333333333')] },
  { given: 'Reply with 2 + 2', want: [say('2 + 2')] },
  { given: 'Open a.example and reply with the title', want: [open('https://a.example'), read('title')] },
  { given: 'Read the file notes.txt and save it as copy.txt.', want: [readFile('notes.txt'), save('copy.txt')] },
  { given: 'Read the file "my notes.txt"', want: [readFile('my notes.txt')] },
  { given: 'Read the attached files', want: [readFile(null)] },
  { given: 'Show me the attachments', want: [readFile(null)] },
  { given: "Write 'a, b' to the file out/1.csv", want: [save('out/1.csv', 'a, b')] },
  { given: "Save 'x' as out.txt", want: [save('out.txt', 'x')] },
  {
    given: 'List the headings, then store the result in a new file called h.txt',
    want: [read('headings'), save('h.txt')],
  },
  { given: "Write 'x' into 'Notes'", want: [type('x', 'Notes')] },
  { given: 'Upload the file cv.pdf', want: [upload('cv.pdf', null)] },
  { given: "Put the file 'my cv.pdf' into the Resume field", want: [upload('my cv.pdf', 'Resume')] },
  { given: 'List all files of the workspace', want: [{ kind: 'listFiles', which: 'all' }] },
  { given: 'List the attached files', want: [{ kind: 'listFiles', which: 'attached' }] },
  { given: "Download the file by clicking 'Export all'", want: [{ kind: 'download', name: 'Export all' }] },
  { given: 'Say hi and then open a.example', want: [say('hi'), open('https://a.example')] },
];

describe('understands', () => {
  test.each(understood)('$given', ({ given, want }) => {
    expect(parseGoal(given)).toEqual({ kind: 'understood', actions: want });
  });

  test.each(plannerPhrases.flatMap(({ name, examples }) => examples.map((example) => ({ name, example }))))(
    '$name: $example',
    ({ name, example }) => {
      const plan = parseGoal(example);
      expect(plan.kind).toBe('understood');
      const first = plan.kind === 'understood' ? plan.actions.map(({ kind }) => kind) : [];
      expect(first).toContain(
        new Map([
          ['search', 'type'],
          ['secret', 'type'],
          ['calculate', 'say'],
        ]).get(name) ?? name,
      );
    },
  );
});

describe('answers a task that is only an expression', () => {
  test.each([
    { given: '2+2', want: '4' },
    { given: '2+2?', want: '4' },
    { given: ' 7 / 2 =? ', want: '3.5' },
    { given: '(3+4)*2', want: '14' },
    { given: '-3 + 5.', want: '2' },
    { given: '2 plus 2', want: '4' },
    { given: '12 × 3', want: '36' },
  ])('$given', ({ given, want }) => {
    expect(parseGoal(given)).toEqual({ kind: 'understood', actions: [{ kind: 'say', text: want }] });
  });

  test.each(['2026-11-26', '42', '1/0', '2+', 'x', '-', '2+2, then click More'])('%s is no expression', (given) => {
    expect(parseGoal(given).kind).toBe('unclear');
  });
});

describe('does not pretend to understand', () => {
  test.each([
    { given: '', part: '' },
    { given: ' ... ', part: '...' },
    { given: 'Book me a flight to Paris', part: 'Book me a flight to Paris' },
    { given: 'Open https://a.example and buy "two, or three" shoes', part: 'buy "two, or three" shoes' },
    { given: 'Open the pod bay doors', part: 'Open the pod bay doors' },
    { given: Array.from({ length: 51 }, () => 'press Enter').join(', '), part: /^press Enter, press/ },
    { given: `Click ${'x'.repeat(600)}`, part: /^Click x+/ },
    { given: 'Say '.repeat(5_000), part: /^Say .*…$/ },
    { given: 'What is 1 / 0?', part: 'What is 1 / 0' },
    { given: 'What is 2 + 2, and what is love?', part: 'and what is love' },
    { given: `What is ${'1 + '.repeat(60)}1?`, part: /^What is 1/ },
    { given: 'What is 2?', part: 'What is 2' },
    { given: 'What is 12345678901234567 + 1?', part: /^What is 123/ },
    { given: 'What is (1 + 2?', part: 'What is (1 + 2' },
    { given: 'Return the exact text of the heading', part: 'Return the exact text of the heading' },
    { given: 'Reply with the price', part: 'Reply with the price' },
    { given: 'Return the following: name', part: 'Return the following: name' },
  ])('$part', ({ given, part }) => {
    const plan = parseGoal(given);
    expect(plan.kind).toBe('unclear');
    expect(plan.kind === 'unclear' ? plan.part : null).toEqual(
      typeof part === 'string' ? part : expect.stringMatching(part),
    );
  });
});

test('never throws and always gives the same plan', () => {
  const words = fc.constantFrom(
    'open',
    'click',
    "'",
    '"',
    'type',
    'into',
    'and',
    ',',
    '. ',
    'https://a.example/',
    'the title',
    'say',
    '\uE000',
    '0',
    '\uE001',
    'x',
  );
  const goals = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map((all) => all.join(' ')),
    fc.array(words).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(goals, (goal) => {
      expect(parseGoal(goal)).toEqual(parseGoal(goal));
    }),
    { seed: 20_261_120, numRuns: 2_000 },
  );
});

test('stays fast on goals made to be slow', () => {
  const nasty = ['type ', ' in the', ' to', ' field'].map((part) => part.repeat(400)).join('');
  for (const goal of [
    nasty,
    `open ${'a-'.repeat(240)}`,
    'list the '.repeat(50),
    'please '.repeat(70),
    `what is ${'1 '.repeat(240)}`,
    `what is ${'('.repeat(480)}`,
    `return ${'only the exact '.repeat(30)}`,
    `${'open a.example, '.repeat(600)}what is 1/0`,
    `"${"'".repeat(9_000)}`,
  ]) {
    expect(parseGoal(goal).kind).toBe('unclear');
  }
});
